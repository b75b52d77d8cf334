import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConfigShape } from "@fleet-reloader/runtime/config/field";
import { workPath } from "@fleet-reloader/runtime/http/work-answer";
import { watcherConfig } from "@fleet-reloader/watcher/config";
import { workerConfig } from "@fleet-reloader/worker/config";
import { describe, expect, test } from "vitest";
import { rendered, root } from "./helm.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

const hub = await rendered(matrix["a hub"] ?? {});
const scaled = await rendered(matrix["a hub with KEDA and a Valkey"] ?? {});

const names = { watcher: "reloader-reloader-watcher", worker: "reloader-reloader-worker" } as const;
const pod = (objects: readonly Manifest[], name: string) =>
  at(the(objects, "Deployment", name), "spec", "template", "spec");
const argsOf = (objects: readonly Manifest[], name: string): readonly string[] => {
  const args = at(pod(objects, name), "containers", 0, "args");
  return Array.isArray(args) ? args.map(String) : [];
};
const variableOf = (objects: readonly Manifest[], name: string, variable: string): unknown => {
  const env = at(pod(objects, name), "containers", 0, "env");
  return at(
    (Array.isArray(env) ? env : []).find((one) => at(one, "name") === variable),
    "value",
  );
};
const selectorOf = (object: Manifest) => at(object, "spec", "selector");

describe("watchers and workers", () => {
  const shapes: Readonly<Record<keyof typeof names, ConfigShape>> = {
    watcher: watcherConfig,
    worker: workerConfig,
  };

  test.each(["watcher", "worker"] as const)(
    "a %s is given flags that it knows, and is named first",
    (service) => {
      const known = Object.values(shapes[service]).flatMap(({ meta }) => [
        meta.flag,
        ...(meta.aliases ?? []),
      ]);
      for (const objects of [hub, scaled]) {
        const [first, ...flags] = argsOf(objects, names[service]);
        expect(first).toBe(service);
        expect(flags.length).toBeGreaterThan(3);
        for (const flag of flags) expect(known).toContain(/^--([A-Za-z-]+)/.exec(flag)?.[1]);
      }
    },
  );

  test("find the same clusters", () => {
    const of = (service: keyof typeof names) =>
      argsOf(scaled, names[service]).filter((arg) => /^--(kubeconfig-dir|cluster-secrets|argocd)/.test(arg));
    expect(of("watcher")).toEqual(of("worker"));
    expect(of("worker")).toEqual([
      "--kubeconfig-dir=/etc/fleet-reloader-clusters/team-a",
      "--cluster-secrets=cluster-api",
      "--cluster-secrets=flux=flux-system",
      "--argocd-clusters=argocd",
    ]);
    for (const name of Object.values(names))
      expect(JSON.stringify(at(pod(scaled, name), "volumes"))).toContain('"secretName":"team-a"');
  });

  test("tell a command in their pods where freezes are", () => {
    const told = (name: string) => variableOf(hub, name, "FLEET_RELOADER_FREEZE_CONFIGMAP");
    expect(Object.values(names).map(told)).toEqual(Array(2).fill("tools/reloader-reloader-freezes"));
  });

  const hookUrl = "https://hooks.example/changed";
  const variable = "FLEET_RELOADER_WEBHOOK_URL";
  const keySecret = "reloader-reloader-mark-key";
  /** Whether it is told where the key is, and whether it may read it there. */
  const hasKey = (objects: readonly Manifest[], service: keyof typeof names) => {
    const role = objects.find(
      ({ kind, metadata: { name } }) => kind === "Role" && name === `${names[service]}-secrets`,
    );
    return [
      variableOf(objects, names[service], "FLEET_RELOADER_MARK_KEY_SECRET") === `tools/${keySecret}/mark.key`,
      String(at(role, "rules", 1, "resourceNames")).includes(keySecret),
    ];
  };
  const verbsOnSources = (objects: readonly Manifest[]) => {
    const rules = at(the(objects, "ClusterRole", `${names.watcher}-role`), "rules");
    const isOfSources = (rule: unknown) => String(at(rule, "resources")) === "configmaps,secrets";
    return at((Array.isArray(rules) ? rules : []).find(isOfSources), "verbs");
  };

  test("have the mark key only where something is hashed: in workers", () => {
    expect(hasKey(hub, "worker")).toEqual([true, true]);
    expect(hasKey(hub, "watcher")).toEqual([false, false]);
    expect(verbsOnSources(hub)).toEqual(["list", "watch"]);
  });

  // The URL may be a secret, which a value is not.
  test.each([
    ["a value", { reloader: { webhookUrl: hookUrl } }],
    ["a flag", { fleetReloader: { args: [`--webhook-url=${hookUrl}`] } }],
    ["two words", { fleetReloader: { args: ["--webhook-url", hookUrl] } }],
    ["a variable", { reloader: { deployment: { env: { open: { [variable]: hookUrl } } } } }],
    ["a Secret", { reloader: { deployment: { env: { existing: { hook: { [variable]: "url" } } } } } }],
  ])("watchers in webhook mode may hash and read, when it is set by %s", async (_, given) => {
    const { fleetReloader, reloader }: { fleetReloader?: object; reloader?: object } = given;
    const webhookMode = await rendered({
      values: {
        fleetReloader: { mode: "hub", redis: { url: "redis://redis" }, ...fleetReloader },
        ...(reloader === undefined ? {} : { reloader }),
      },
    });
    expect(hasKey(webhookMode, "worker")).toEqual([true, true]);
    expect(hasKey(webhookMode, "watcher")).toEqual([true, true]);
    expect(verbsOnSources(webhookMode)).toEqual(["get", "list", "watch"]);
  });

  test("have the rights to find clusters that the page on them names", () => {
    const page = readFileSync(join(root, "docs/clusters.md"), "utf8");
    const rules = at(the(scaled, "ClusterRole", "reloader-reloader-registration"), "rules");
    const granted = (Array.isArray(rules) ? rules : []).map((rule) => {
      const [group, resource, verbs] = ["apiGroups", "resources", "verbs"].map((key) => at(rule, key));
      const named = String(group) === "" ? String(resource) : `${String(resource)}.${String(group)}`;
      return `| \`${named}\` | ${Array.isArray(verbs) ? verbs.join(", ") : ""} |`;
    });
    expect(granted).toHaveLength(2);
    for (const cells of granted) expect(page).toContain(cells);
  });

  test("are told apart by every selector, and found together by the monitor", () => {
    const labels = (service: string) =>
      at(the(scaled, "Deployment", service), "spec", "template", "metadata", "labels");
    const selects = (selector: unknown, service: string) =>
      Object.entries(Object(selector)).every(([key, value]) => at(labels(service), key) === value);
    const toWatchers = selectorOf(the(scaled, "Service", names.watcher));
    expect([selects(toWatchers, names.watcher), selects(toWatchers, names.worker)]).toEqual([true, false]);
    const monitor = at(selectorOf(the(scaled, "PodMonitor")), "matchLabels");
    expect([selects(monitor, names.watcher), selects(monitor, names.worker)]).toEqual([true, true]);
    const toRedis = selectorOf(the(scaled, "Service", "reloader-reloader-valkey"));
    expect(selects(toRedis, names.watcher)).toBe(false);
    for (const name of Object.values(names)) {
      const budget = at(selectorOf(the(scaled, "PodDisruptionBudget", name)), "matchLabels");
      expect(Object.values(names).filter((each) => selects(budget, each))).toEqual([name]);
    }
  });

  test("are scraped once each through Services: the one that KEDA asks is left out", async () => {
    const objects = await rendered(matrix["a hub that Prometheus scrapes"] ?? {});
    const selector = selectorOf(the(objects, "ServiceMonitor"));
    expect(at(selector, "matchExpressions")).toEqual([
      { key: "app.kubernetes.io/component", operator: "DoesNotExist" },
    ]);
    const isFound = ({ metadata: { labels = {} } }: Manifest) =>
      !("app.kubernetes.io/component" in labels) &&
      Object.entries(Object(at(selector, "matchLabels"))).every(([key, value]) => labels[key] === value);
    const found = objects.filter((object) => object.kind === "Service" && isFound(object));
    expect(found.map(({ metadata }) => metadata.name)).toEqual(["reloader-reloader"]);
  });

  test("have rights of their own: a watcher changes nothing, a worker follows nothing", () => {
    const verbs = (name: string) => JSON.stringify(at(the(hub, "ClusterRole", `${name}-role`), "rules"));
    expect(verbs(names.watcher)).not.toMatch(/patch|create|delete|events/);
    expect(verbs(names.worker)).not.toMatch(/watch/);
    // Those that are given for a declared kind among them.
    const knative = '"apiGroups":["serving.knative.dev"],"resources":["services"],"verbs":';
    expect(verbs(names.watcher)).toContain(`${knative}["get","list","watch"]`);
    expect(verbs(names.worker)).toContain(`${knative}["get","list","patch"]`);
    for (const name of Object.values(names)) expect(at(pod(hub, name), "serviceAccountName")).toBe(name);
  });

  test("see the labels of namespaces, each in its way", async () => {
    const objects = await rendered(matrix["a hub for namespaces by their labels"] ?? {});
    const verbs = (name: string) => {
      const rules = at(the(objects, "ClusterRole", `${name}-role`), "rules");
      const isOurs = (rule: unknown) =>
        String(at(rule, "resources")) === "namespaces" && at(rule, "resourceNames") === undefined;
      return at((Array.isArray(rules) ? rules : []).find(isOurs), "verbs");
    };
    expect(verbs(names.watcher)).toEqual(["list", "watch"]);
    expect(verbs(names.worker)).toEqual(["get"]);
  });
});

test("each heap has half of its container's memory, what is set, or the image's", async () => {
  const heapOf = (objects: readonly Manifest[], name: string) =>
    /--max-old-space-size=\d+/.exec(String(at(pod(objects, name), "containers", 0, "command")))?.[0];
  expect([heapOf(hub, names.worker), heapOf(hub, names.watcher)]).toEqual([
    "--max-old-space-size=128",
    "--max-old-space-size=256",
  ]);
  const limited = { reloader: { deployment: { resources: { limits: { memory: "512Mi" } } } } };
  const standalone = async (values: object) => heapOf(await rendered({ values }), "reloader-reloader");
  expect(await standalone(limited)).toBe("--max-old-space-size=256");
  expect(await standalone({ ...limited, fleetReloader: { maxHeapMiB: 300 } })).toBe(
    "--max-old-space-size=300",
  );
  expect(await standalone({})).toBe("--max-old-space-size=256");
  const unlimited = { reloader: { deployment: { resources: { requests: { memory: "128Mi" } } } } };
  expect(await standalone(unlimited)).toBeUndefined();
});

describe("the number of workers", () => {
  test("is a plain one without KEDA, and left to KEDA with it", () => {
    expect(at(the(hub, "Deployment", names.worker), "spec", "replicas")).toBe(2);
    expect(hub.filter(({ kind }) => kind === "ScaledObject")).toEqual([]);
    expect(Object.keys(Object(the(scaled, "Deployment", names.worker).spec))).not.toContain("replicas");
    expect(at(the(scaled, "Deployment", names.watcher), "spec", "replicas")).toBe(2);
  });

  test("scales by what the watchers publish, at the code's path and name", () => {
    const { spec } = the(scaled, "ScaledObject");
    expect(spec).toMatchObject({
      scaleTargetRef: { name: names.worker },
      ...{ pollingInterval: 5, cooldownPeriod: 120, minReplicaCount: 0 },
      fallback: { failureThreshold: 1, replicas: 2 },
    });
    const trigger = at(spec, "triggers", 0);
    expect(trigger).toMatchObject({
      type: "metrics-api",
      metadata: { format: "json", valueLocation: "work" },
    });
    const url = new URL(String(at(trigger, "metadata", "url")));
    expect(url.pathname).toBe(workPath);
    const service = the(scaled, "Service", names.watcher);
    expect(url.hostname).toBe(`${service.metadata.name}.${service.metadata.namespace}.svc`);
    expect(Number(url.port)).toBe(at(service, "spec", "ports", 0, "port"));
    expect(argsOf(scaled, names.watcher)).toContain(`--listen-address=:${url.port}`);
    expect(at(pod(scaled, names.watcher), "containers", 0, "ports", 0)).toEqual({
      name: at(service, "spec", "ports", 0, "targetPort"),
      containerPort: Number(url.port),
    });
  });

  test("is published before a watcher is ready: one out of sync knows the work too", () => {
    expect(at(the(scaled, "Service", names.watcher), "spec", "publishNotReadyAddresses")).toBe(true);
  });

  test("can be asked for by KEDA also where only some may ask", () => {
    const from = at(the(scaled, "NetworkPolicy", "reloader-reloader"), "spec", "ingress", 0, "from");
    expect(JSON.stringify(from)).toContain('"kubernetes.io/metadata.name":"keda"');
  });
});

describe("Redis", () => {
  test("of the release keeps its data, evicts nothing, and has its password in a Secret", () => {
    const [valkey] = [at(the(scaled, "StatefulSet"), "spec", "template", "spec", "containers", 0)];
    expect(String(at(valkey, "args"))).toContain("--appendonly,yes,--appendfsync,everysec");
    expect(String(at(valkey, "args"))).toContain("--maxmemory-policy,noeviction");
    const secret = "reloader-reloader-valkey-password";
    expect(at(valkey, "env", 0, "valueFrom", "secretKeyRef")).toEqual({ name: secret, key: "password" });
    for (const name of Object.values(names)) {
      // A variable: a command in the pod has it, too.
      expect(variableOf(scaled, name, "FLEET_RELOADER_REDIS_PASSWORD_SECRET")).toBe(
        `tools/${secret}/password`,
      );
      expect(String(at(the(scaled, "Role", `${name}-secrets`), "rules", 1, "resourceNames"))).toContain(
        secret,
      );
      expect(JSON.stringify(at(pod(scaled, name), "containers", 0, "env"))).toContain(
        '"value":"redis://reloader-reloader-valkey.tools.svc:6379"',
      );
    }
  });

  test("of the release takes a given password, and none is made", async () => {
    const valkey = { enabled: true, existingSecret: "ours", existingSecretKey: "pass" };
    const objects = await rendered({
      values: { fleetReloader: { mode: "hub", hub: { valkey }, markKey: { existingSecret: "our-key" } } },
    });
    expect(objects.filter(({ metadata: { name } }) => name.endsWith("-secrets"))).toEqual([]);
    for (const name of Object.values(names)) {
      expect(argsOf(objects, name).join()).not.toContain("-secret=");
      const env = JSON.stringify(at(pod(objects, name), "containers", 0, "env"));
      expect(env).toContain('{"key":"pass","name":"ours"}');
      expect(env).toContain("redis://:$(VALKEY_PASSWORD)@reloader-reloader-valkey.tools.svc:6379");
    }
  });

  test.each([
    ["512Mi", "--maxmemory,384mb"],
    ["1.5Gi", "--maxmemory,1152mb"],
    ["1G", "--maxmemory,715mb"],
    [536_870_912, "--maxmemory,384mb"],
    ["1048576k", "--maxmemory,750mb"],
    [undefined, undefined],
  ])("of the release with a memory limit of %s says so before the kernel ends it", async (memory, says) => {
    const limits = memory === undefined ? null : { memory };
    const valkey = { enabled: true, resources: { limits } };
    const objects = await rendered({ values: { fleetReloader: { mode: "hub", hub: { valkey } } } });
    const args = at(the(objects, "StatefulSet"), "spec", "template", "spec", "containers", 0, "args");
    expect(/--maxmemory,[^,]*/.exec(String(args))?.[0]).toBe(says);
  });

  test("of somebody else with a certificate of their own authority", () => {
    const env = at(pod(hub, names.worker), "containers", 0, "env");
    expect(JSON.stringify(env)).toContain(
      '{"name":"NODE_EXTRA_CA_CERTS","value":"/etc/fleet-reloader-redis/ca.crt"}',
    );
    expect(JSON.stringify(at(pod(hub, names.worker), "volumes"))).toContain('"secretName":"redis-ca"');
  });
});
