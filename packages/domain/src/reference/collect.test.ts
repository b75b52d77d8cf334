import { describe, expect, test } from "vitest";
import { catalystApi } from "../fixture/catalyst-api.ts";
import { sourceKey } from "../source/source.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { collectReferences } from "./collect.ts";

function referencesOf(spec: unknown) {
  return collectReferences(parsePodTemplate({ spec }), "ns");
}

function keysBySource(spec: unknown) {
  return Object.fromEntries(referencesOf(spec).map(({ source, keys }) => [sourceKey(source), keys]));
}

describe("a reference is", () => {
  test.each(["containers", "initContainers", "ephemeralContainers"])(
    "a variable from a key, in %s",
    (list) => {
      const env = [
        { name: "A", valueFrom: { configMapKeyRef: { name: "cm", key: "k" } } },
        { name: "B", valueFrom: { secretKeyRef: { name: "s", key: "l" } } },
      ];
      expect(keysBySource({ [list]: [{ name: "c", env }] })).toEqual({
        "ConfigMap/ns/cm": ["k"],
        "Secret/ns/s": ["l"],
      });
    },
  );

  test("the secret provider class of a CSI volume, whatever its driver is called", () => {
    const csi = { driver: "any", volumeAttributes: { secretProviderClass: "vault" } };
    const containers = [{ name: "c", volumeMounts: [{ name: "v" }] }];
    expect(referencesOf({ containers, volumes: [{ name: "v", csi }] })).toEqual([
      {
        source: { kind: "SecretProviderClass", namespace: "ns", name: "vault" },
        uses: [{ how: "csi", container: "c", optional: false, keys: "all" }],
        optional: false,
        keys: "all",
      },
    ]);
  });

  test.each(["containers", "initContainers", "ephemeralContainers"])(
    "all variables of an object, in %s",
    (list) => {
      const envFrom = [{ configMapRef: { name: "cm" } }, { prefix: "P_", secretRef: { name: "s" } }];
      expect(keysBySource({ [list]: [{ name: "c", envFrom }] })).toEqual({
        "ConfigMap/ns/cm": "all",
        "Secret/ns/s": "all",
      });
    },
  );

  test.each(["containers", "initContainers", "ephemeralContainers"])("a volume mounted in %s", (list) => {
    const volumes = [
      { name: "v", configMap: { name: "cm" } },
      { name: "w", secret: { secretName: "s" } },
    ];
    const spec = { [list]: [{ name: "c", volumeMounts: [{ name: "v" }, { name: "w" }] }], volumes };
    expect(referencesOf(spec).flatMap(({ uses }) => uses)).toEqual([
      { how: "volume", container: "c", optional: false, keys: "all" },
      { how: "volume", container: "c", optional: false, keys: "all" },
    ]);
  });

  test("each source of a projected volume", () => {
    const sources = [
      { configMap: { name: "cm", items: [{ key: "a", path: "x" }] } },
      { secret: { name: "s" } },
      { serviceAccountToken: { path: "token" } },
      { clusterTrustBundle: { name: "ctb", path: "ca" } },
    ];
    expect(keysBySource({ volumes: [{ name: "v", projected: { sources } }] })).toEqual({
      "ConfigMap/ns/cm": ["a"],
      "Secret/ns/s": "all",
    });
  });

  test("a volume that no container mounts: the pod does not start without it", () => {
    expect(referencesOf({ volumes: [{ name: "v", secret: { secretName: "s", optional: true } }] })).toEqual([
      {
        source: { kind: "Secret", namespace: "ns", name: "s" },
        uses: [{ how: "volume", optional: true, keys: "all" }],
        optional: true,
        keys: "all",
      },
    ]);
  });
});

describe("no reference is", () => {
  test.each([
    ["a pull secret", { imagePullSecrets: [{ name: "s" }] }],
    ["a service account", { serviceAccountName: "s" }],
    [
      "a CSI volume's publish secret",
      { volumes: [{ name: "v", csi: { nodePublishSecretRef: { name: "s" } } }] },
    ],
    ["a storage driver's secret", { volumes: [{ name: "v", azureFile: { secretName: "s" } }] }],
    [
      "a name in an argument",
      { containers: [{ name: "c", args: ["--secret=s"], env: [{ name: "A", value: "s" }] }] },
    ],
    [
      "a key of a file",
      { containers: [{ name: "c", env: [{ name: "A", valueFrom: { fileKeyRef: { key: "s" } } }] }] },
    ],
    ["a volume device", { containers: [{ name: "c", volumeDevices: [{ name: "s" }] }] }],
    ["anything in an empty template", {}],
  ])("%s", (_, spec) => {
    expect(referencesOf(spec)).toEqual([]);
  });
});

describe("the keys of a reference are", () => {
  test("those of all its uses, sorted, each once", () => {
    const env = ["b", "a", "b"].map((key, i) => ({
      name: `V${i}`,
      valueFrom: { secretKeyRef: { name: "s", key } },
    }));
    expect(keysBySource({ containers: [{ name: "c", env }] })).toEqual({ "Secret/ns/s": ["a", "b"] });
  });

  test("all of them as soon as one use takes the whole object", () => {
    const env = [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "a" } } }];
    const spec = {
      containers: [
        { name: "c", env },
        { name: "d", envFrom: [{ secretRef: { name: "s" } }] },
      ],
    };
    expect(keysBySource(spec)).toEqual({ "Secret/ns/s": "all" });
  });

  test("all of them when a volume shows one by subPath, but its items when it has any", () => {
    const mount = { name: "v", mountPath: "/etc/app.conf", subPath: "app.conf" };
    const spec = (items: unknown) => ({
      containers: [{ name: "c", volumeMounts: [mount] }],
      volumes: [{ name: "v", configMap: { name: "cm", items } }],
    });
    expect(keysBySource(spec(undefined))).toEqual({ "ConfigMap/ns/cm": "all" });
    expect(keysBySource(spec([]))).toEqual({ "ConfigMap/ns/cm": "all" });
    expect(keysBySource(spec([{ key: "app.conf", path: "x" }]))).toEqual({ "ConfigMap/ns/cm": ["app.conf"] });
  });
});

describe("a reference with several uses", () => {
  const spec = {
    containers: [
      { name: "a", volumeMounts: [{ name: "v" }, { name: "v" }] },
      {
        name: "b",
        env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "cm", key: "k", optional: true } } }],
      },
    ],
    initContainers: [{ name: "i", volumeMounts: [{ name: "v" }] }],
    volumes: [
      { name: "unmounted", configMap: { name: "cm", optional: true } },
      { name: "v", configMap: { name: "cm", optional: false } },
    ],
  };

  test("has every one of them, where the peer stops at the first volume", () => {
    expect(referencesOf(spec)[0]?.uses).toEqual([
      { how: "env", container: "b", optional: true, keys: ["k"] },
      { how: "volume", optional: true, keys: "all" },
      { how: "volume", container: "a", optional: false, keys: "all" },
      { how: "volume", container: "i", optional: false, keys: "all" },
    ]);
  });

  test("is optional only when each of them is", () => {
    expect(referencesOf(spec)[0]?.optional).toBe(false);
    expect(referencesOf({ ...spec, volumes: spec.volumes.slice(0, 1) })[0]?.optional).toBe(true);
  });
});

test("names that every object inherits are ordinary names", () => {
  const env = ["constructor", "__proto__"].map((name) => ({
    name,
    valueFrom: { secretKeyRef: { name, key: name } },
  }));
  const found = referencesOf({ containers: [{ name: "__proto__", env }] });
  expect(found.map(({ source, keys }) => [source.name, keys])).toEqual([
    ["__proto__", ["__proto__"]],
    ["constructor", ["constructor"]],
  ]);
});

test("the references of catalyst-api are the nine it has, and the pull secret is none", () => {
  const found = collectReferences(parsePodTemplate(catalystApi.spec.template), "catalyst");
  expect(found.map(({ source, optional, keys }) => [sourceKey(source), optional, keys])).toEqual([
    ["ConfigMap/catalyst/sovereign-fqdn", true, ["fqdn"]],
    ["Secret/catalyst/catalyst-ghcr-pull-token", true, ["token"]],
    ["Secret/catalyst/catalyst-handover-jwt-public", true, ["public.jwk"]],
    ["Secret/catalyst/catalyst-kc-sa-credentials", true, ["addr", "client-id", "client-secret", "realm"]],
    [
      "Secret/catalyst/catalyst-magic-link-credentials",
      true,
      ["kc-client-id", "kc-redirect-uri", "session-cookie-secret"],
    ],
    [
      "Secret/catalyst/catalyst-openova-kc-credentials",
      true,
      [
        "kc-addr",
        "kc-realm",
        "kc-sa-client-id",
        "kc-sa-client-secret",
        "smtp-from",
        "smtp-host",
        "smtp-pass",
        "smtp-port",
        "smtp-user",
      ],
    ],
    ["Secret/catalyst/dynadot-api-credentials", true, ["api-key", "api-secret", "domain", "domains"]],
    ["Secret/catalyst/harbor-robot-token", false, ["token"]],
    ["Secret/catalyst/powerdns-api-credentials", true, ["api-key"]],
  ]);
});
