import { watcherConfig } from "@fleet-reloader/watcher/config";
import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

const { values = {} } = matrix["a hub to which KEDA listens"] ?? {};
const pushed = await rendered({ values });
const names = { watcher: "reloader-reloader-watcher", worker: "reloader-reloader-worker" } as const;

const containerOf = (objects: readonly Manifest[], name: string) =>
  at(the(objects, "Deployment", name), "spec", "template", "spec", "containers", 0);
const argsOf = (objects: readonly Manifest[], name: string): readonly string[] => {
  const args = at(containerOf(objects, name), "args");
  return Array.isArray(args) ? args.map(String) : [];
};

test("KEDA is pushed to at the watchers' port, and counts failures of a poll", () => {
  const triggers = at(the(pushed, "ScaledObject").spec, "triggers");
  expect(triggers).toEqual([
    {
      type: "external-push",
      name: "push",
      metadata: {
        scalerAddress: `${names.watcher}.tools.svc:9443`,
        targetValue: "40",
        enableTLS: "true",
      },
      authenticationRef: { name: the(pushed, "TriggerAuthentication").metadata.name },
    },
    expect.objectContaining({ type: "metrics-api", name: "work" }),
  ]);
  const port = {
    name: "grpc-scaler",
    port: 9443,
    protocol: "TCP",
    targetPort: "grpc-scaler",
    appProtocol: "grpc",
  };
  expect(at(the(pushed, "Service", names.watcher), "spec", "ports")).toContainEqual(port);
  const { flag } = watcherConfig.scalerListenAddress.meta;
  expect(argsOf(pushed, names.watcher)).toContain(`--${flag}=:9443`);
  expect(argsOf(pushed, names.worker).join(" ")).not.toContain("--scaler-");
  const listening = { name: "grpc-scaler", containerPort: 9443 };
  expect(at(containerOf(pushed, names.watcher), "ports")).toContainEqual(listening);
  expect(at(containerOf(pushed, names.worker), "ports")).not.toContainEqual(listening);
});

test("watchers and KEDA show each other the certificates of the named Secrets", () => {
  const { scalerClientCaFile, scalerTlsCertFile, scalerTlsKeyFile } = watcherConfig;
  const args = argsOf(pushed, names.watcher);
  const folder = "/etc/fleet-reloader-scaler";
  expect(args).toContain(`--${scalerTlsCertFile.meta.flag}=${folder}/tls.crt`);
  expect(args).toContain(`--${scalerTlsKeyFile.meta.flag}=${folder}/tls.key`);
  expect(args).toContain(`--${scalerClientCaFile.meta.flag}=${folder}/ca.crt`);
  const watcher = the(pushed, "Deployment", names.watcher);
  expect(at(watcher, "spec", "template", "spec", "volumes")).toContainEqual({
    name: "scaler-tls",
    secret: { secretName: "watcher-tls", defaultMode: 288 },
  });
  expect(at(containerOf(pushed, names.watcher), "volumeMounts")).toContainEqual({
    name: "scaler-tls",
    mountPath: folder,
    readOnly: true,
  });
  expect(at(the(pushed, "TriggerAuthentication"), "spec", "secretTargetRef")).toEqual([
    { parameter: "caCert", name: "keda-tls", key: "ca.crt" },
    { parameter: "tlsClientCert", name: "keda-tls", key: "tls.crt" },
    { parameter: "tlsClientKey", name: "keda-tls", key: "tls.key" },
  ]);
});

test("the port of the scaler is open for those who may ask, and for KEDA", () => {
  const ingress = at(the(pushed, "NetworkPolicy", "reloader-reloader"), "spec", "ingress", 0);
  expect(at(ingress, "ports")).toContainEqual({ port: "grpc-scaler" });
  expect(JSON.stringify(at(ingress, "from"))).toContain('"kubernetes.io/metadata.name":"keda"');
});

test("without certificates KEDA is pushed to without TLS, and nothing names a Secret", async () => {
  const keda = { enabled: true, trigger: "push" };
  const open = await rendered({
    values: { fleetReloader: { mode: "hub", redis: { url: "redis://r" }, hub: { keda } } },
  });
  const trigger = at(the(open, "ScaledObject").spec, "triggers", 0);
  expect(trigger).toEqual({
    type: "external-push",
    name: "push",
    metadata: { scalerAddress: `${names.watcher}.tools.svc:9095`, targetValue: "25" },
  });
  expect(open.filter(({ kind }) => kind === "TriggerAuthentication")).toEqual([]);
  expect(argsOf(open, names.watcher).filter((arg) => arg.startsWith("--scaler-"))).toEqual([
    "--scaler-listen-address=:9095",
  ]);
});
