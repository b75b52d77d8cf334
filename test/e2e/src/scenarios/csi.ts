import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, at as fieldAt, Site, unhurried } from "../site.ts";
import type { World } from "../world.ts";

const providerAuto = { "secretproviderclass.reloader.stakater.com/auto": "true" };

/** Secrets of the Secrets Store CSI driver: what its pod statuses say is what counts. */
export function csiTests(world: () => World): void {
  const start = (at: Site, ...args: readonly string[]): Product =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespaces", at.namespace, "--enable-csi-integration", "--debounce", "1s", ...args],
    });

  async function site(purpose: string, annotations: Readonly<Record<string, string>> = providerAuto) {
    const at = await Site.make(world().client, purpose);
    await at.providerClass("vault");
    await at.workload("Deployment", "api", { annotations, spec: mounts("vault") });
    for (const pod of ["api-1", "api-2"]) await at.podStatus(pod, "vault", { password: "v1" });
    return at;
  }

  const isNotedWithContent = (at: Site) =>
    until("the content is noted", async () =>
      (await at.note("Deployment", "api"))?.includes("SecretProviderClass/vault"),
    );

  test.concurrent("a rotation from pod to pod rolls once; pods and labels that come and go do not", async () => {
    const at = await site("csi");
    await using product = start(at, "--reload-on-create=true", "--reload-on-delete=true");
    await product.ready();
    await isNotedWithContent(at);

    await at.podStatus("api-3", "vault", { password: "v1" });
    await at.patch("SecretProviderClassPodStatus", "api-1-vault", { metadata: { labels: { node: "n" } } });
    await at.settlesAt("Deployment", "api", 0);

    await at.rotate("api-1", "vault", { password: "v2" });
    await at.settlesAt("Deployment", "api", 1);
    // One that has not followed yet is written for another reason, and then the one that was ahead goes.
    await at.patch("SecretProviderClassPodStatus", "api-2-vault", { metadata: { labels: { node: "n" } } });
    await at.settlesAt("Deployment", "api", 1);
    await at.remove("SecretProviderClassPodStatus", "api-1-vault");
    await at.patch("SecretProviderClassPodStatus", "api-3-vault", { metadata: { labels: { node: "n" } } });
    await at.settlesAt("Deployment", "api", 1);
    for (const pod of ["api-2", "api-3"]) await at.rotate(pod, "vault", { password: "v2" });
    for (const pod of ["new-1", "new-2"]) await at.podStatus(pod, "vault", { password: "v2" });
    await at.settlesAt("Deployment", "api", 1);

    for (const pod of ["api-2", "api-3", "new-1", "new-2"])
      await at.remove("SecretProviderClassPodStatus", `${pod}-vault`);
    await at.settlesAt("Deployment", "api", 1);
    // Its pods are new, so they have what they show. Then one is made anew after a rotation, and the other one still has what was before.
    await at.podStatus("again-1", "vault", { password: "v3" });
    await at.settlesAt("Deployment", "api", 1);
    await at.podStatus("again-2", "vault", { password: "v4" });
    await at.settlesAt("Deployment", "api", 2);
  });

  test.concurrent("a rotation that is synced to a Secret too rolls once", async () => {
    const at = await Site.make(world().client, "csi-synced");
    await at.providerClass("vault");
    await at.secret("synced", { password: "one" });
    const spec = { ...mounts("vault"), ...envFromSecret("synced") };
    await at.workload("Deployment", "api", {
      annotations: { ...auto, ...unhurried.annotations },
      spec,
    });
    await at.podStatus("api-1", "vault", { password: "v1" });
    await using product = start(at);
    await product.ready();
    await isNotedWithContent(at);
    // What the start led to is over: else the look that it asked for may fall between the two writes below.
    await at.settlesAt("Deployment", "api", 0, unhurried);
    await at.rotate("api-1", "vault", { password: "v2" });
    await at.change("Secret", "synced", { password: "two" });
    // The driver makes the owner of the pods an owner of the Secret.
    const uid = fieldAt(await at.object("Deployment", "api"), "metadata", "uid");
    const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name: "api", uid }];
    await at.patch("Secret", "synced", { metadata: { ownerReferences } });
    await at.settlesAt("Deployment", "api", 1, unhurried);
  });

  test.concurrent("the variable is the peer's, and so is the note of the annotations strategy", async () => {
    const at = await site("csi-env");
    await at.workload("Deployment", "annotated", { annotations: providerAuto, spec: mounts("vault") });
    await at.patch("Deployment", "annotated", {
      metadata: { annotations: { "fleet-reloader.io/strategy": "annotations" } },
    });
    await using product = start(at, "--reload-strategy", "env-vars");
    await product.ready();
    await isNotedWithContent(at);
    await at.adopted("Deployment", "annotated");
    await at.rotate("api-1", "vault", { password: "v2" });
    await at.settlesAt("Deployment", "api", 1);
    await at.settlesAt("Deployment", "annotated", 1);
    expect(JSON.stringify(await at.object("Deployment", "api"))).toContain(
      "STAKATER_VAULT_SECRETPROVIDERCLASS",
    );
    const annotated = JSON.stringify(await at.object("Deployment", "annotated"));
    expect(annotated).toContain(String.raw`{\"type\":\"SECRETPROVIDERCLASS\",\"name\":\"vault\"`);
  });

  test.concurrent("an ignored class, or classes that are not enabled, roll nothing", async () => {
    const ignored = await site("csi-ignored");
    const off = await site("csi-off", { "reloader.stakater.com/auto": "true" });
    await ignored.patch("SecretProviderClass", "vault", {
      metadata: { annotations: { "reloader.stakater.com/ignore": "true" } },
    });
    await using product = start(ignored);
    await using without = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespaces", off.namespace, "--debounce", "1s"],
    });
    await product.ready();
    await without.ready();
    for (const at of [ignored, off]) await at.rotate("api-1", "vault", { password: "v2" });
    for (const at of [ignored, off]) await at.settlesAt("Deployment", "api", 0);
  });
}

/** A container that mounts what the driver fetches for this class. */
export function mounts(className: string): object {
  const csi = {
    driver: "secrets-store.csi.k8s.io",
    readOnly: true,
    volumeAttributes: { secretProviderClass: className },
  };
  return {
    containers: [
      {
        name: "app",
        image: "app:1",
        volumeMounts: [{ name: "secrets", mountPath: "/secrets", readOnly: true }],
      },
    ],
    volumes: [{ name: "secrets", csi }],
  };
}

function envFromSecret(name: string): object {
  const container = {
    ...{ name: "app", image: "app:1", envFrom: [{ secretRef: { name } }] },
    volumeMounts: [{ name: "secrets", mountPath: "/secrets", readOnly: true }],
  };
  return { containers: [container] };
}
