import { catalystApi } from "@fleet-reloader/domain/fixture/catalyst-api";
import { configMap, secret } from "./manifest.ts";

/**
 * seeds/002: Recreate on a ReadWriteOnce volume, SOVEREIGN_FQDN from an optional ConfigMap, and an annotation that names
 * the Secret `handover-jwt-public` while the pod mounts `catalyst-handover-jwt-public`.
 */
export const catalystWorkload = { kind: "Deployment", namespace: "catalyst", name: "catalyst-api" } as const;

export function catalystSeed(own: { readonly strategy: "annotations" | "env-vars" }): readonly object[] {
  const { metadata, spec } = catalystApi;
  const { containers } = spec.template.spec;
  const image = "ghcr.io/openova-io/openova/catalyst-api:9a58289";
  const template = {
    ...spec.template,
    spec: { ...spec.template.spec, containers: containers.map((container) => ({ ...container, image })) },
  };
  const strategy = own.strategy === "annotations" ? {} : { "fleet-reloader.io/strategy": own.strategy };
  return [
    harborToken("robot-2025"),
    secret("catalyst", "ghcr-pull", { token: "pull" }),
    {
      ...catalystApi,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...strategy } },
      spec: { ...spec, selector: { matchLabels: spec.template.metadata.labels }, template },
    },
  ];
}

/** Rendered by the Kustomization `sovereign-tls`, concurrently with the release that brings catalyst-api. */
export const sovereignFqdn = (fqdn: string) => configMap("catalyst", "sovereign-fqdn", { fqdn });

/** Written by cloud-init. */
export const handoverKey = (key: string) =>
  secret("catalyst", "catalyst-handover-jwt-public", {
    "public.jwk": JSON.stringify({ kty: "RSA", kid: key }),
  });

/** Mirrored from the mothership by bp-reflector. */
export const harborToken = (token: string) => secret("catalyst", "harbor-robot-token", { token });
