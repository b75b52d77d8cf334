import { describe, expect, test } from "vitest";
import { chart, rendered, template } from "./helm.ts";
import { at, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";
import { argsOf, containerOf, envOf, renderedBy } from "./rendered-container.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

describe("scope", () => {
  const clusterScoped = [
    "ClusterRole",
    "ClusterRoleBinding",
    "Namespace",
    "PriorityClass",
    "CustomResourceDefinition",
  ];

  test.each(["the Cluster API addon", "some namespaces", "some namespaces as text"])(
    "%s: nothing is cluster-wide",
    async (name) => {
      expect((await renderedBy(name)).filter((object) => clusterScoped.includes(object.kind))).toEqual([]);
    },
  );

  test("without a list the release's namespace is served", async () => {
    const objects = await renderedBy("the Cluster API addon");
    expect(envOf(objects)).toContain("KUBERNETES_NAMESPACE");
    expect(argsOf(objects).join(" ")).not.toContain("--namespaces");
    expect(the(objects, "Role", "reloader-reloader-role").metadata.namespace).toBe("openstack-system");
  });

  test.each([
    ["some namespaces", "team-a,team-b,tools"],
    ["some namespaces as text", "team-a,team-b,tools"],
  ])("%s: a Role in each and in the release's own, once", async (name, expected) => {
    const objects = await renderedBy(name);
    expect(argsOf(objects)).toContain(`--namespaces=${expected}`);
    expect(envOf(objects)).not.toContain("KUBERNETES_NAMESPACE");
    for (const kind of ["Role", "RoleBinding"]) {
      // Beside those of its own ConfigMaps and its own Secret.
      const own = /metadata|-secrets$|-freezes$/;
      const found = objects.filter((each) => each.kind === kind && !own.test(each.metadata.name));
      expect(found.map((each) => each.metadata.namespace).join(",")).toBe(expected);
    }
  });
});

describe("rights", () => {
  const granted = async (name: string): Promise<readonly string[]> => {
    const rules = at(the(await renderedBy(name), "ClusterRole"), "rules");
    return (Array.isArray(rules) ? rules : []).flatMap((rule) => {
      const [resources, verbs] = [at(rule, "resources"), at(rule, "verbs")];
      return Array.isArray(resources) ? resources.map((each) => `${each}: ${String(verbs)}`) : [];
    });
  };

  test("nothing may be updated, and nothing is granted by a star", async () => {
    for (const name of Object.keys(matrix)) {
      for (const object of (await renderedBy(name)).filter(
        (each) => /Role$/.test(each.kind) && !each.metadata.name.includes("metadata"),
      ))
        expect(JSON.stringify(object)).not.toMatch(/"update"|"\*"/);
    }
  });

  test("each right comes with the feature that needs it", async () => {
    const standard = await granted("the defaults");
    expect(standard).not.toContain("rollouts: get,list,watch,patch");
    expect(standard).toContain("secrets: get,list,watch");
    const all = await granted("every source and kind");
    expect(all).toContain("rollouts: get,list,watch,patch");
    expect(all).toContain("secretproviderclasspodstatuses: get,list,watch");
    const few = await granted("Secrets only, no Jobs");
    expect(few.filter((each) => /configmaps|jobs/.test(each))).toEqual([]);
    expect(few).toContain("secrets: get,list,watch");
    expect(await granted("selectors")).toContain("namespaces: get,list,watch");
  });
});

test("the standalone process takes rights of one's own as they are", async () => {
  const rule = { apiGroups: ["x.example"], resources: ["things"], verbs: ["get", "list", "watch", "patch"] };
  const role = the(await rendered({ values: { fleetReloader: { extraRules: [rule] } } }), "ClusterRole");
  expect(role.rules).toContainEqual(rule);
});

describe("what the users' own documents look for", () => {
  test("the Flux story: names, the label its runbook asks for, the PodMonitor", async () => {
    const objects = await renderedBy("the platform team's HelmRelease");
    const { metadata } = the(objects, "Deployment", "reloader");
    expect(metadata.namespace).toBe("kube-system");
    expect(at(the(objects, "Deployment"), "spec", "template", "metadata", "labels")).toMatchObject({
      "app.kubernetes.io/name": "reloader",
    });
    const monitor = the(objects, "PodMonitor", "reloader");
    expect(monitor.metadata.namespace).toBe("kube-system");
    expect(at(monitor, "spec", "selector", "matchLabels")).toEqual({ app: "reloader", release: "reloader" });
    expect(at(containerOf(objects), "securityContext", "readOnlyRootFilesystem")).toBe(true);
  });

  test("a name as long as the peer allows is shortened only before a process' name", async () => {
    const fullnameOverride = "a".repeat(63);
    const named = async (more: object) => {
      const objects = await rendered({ values: { fullnameOverride, ...more } });
      return objects.filter(({ kind }) => kind === "Deployment").map(({ metadata }) => metadata.name);
    };
    expect(await named({})).toEqual([fullnameOverride]);
    const hub = { fleetReloader: { mode: "hub", redis: { url: "redis://r" } } };
    const short = "a".repeat(55);
    expect(await named(hub)).toEqual([`${short}-watcher`, `${short}-worker`]);
  });

  test("the longest name of a Secret of kubeconfigs makes a valid volume's name", async () => {
    const clusters = { kubeconfigSecrets: ["k".repeat(54)] };
    const deployment = the(await rendered({ values: { fleetReloader: { clusters } } }), "Deployment");
    const name = `clusters-${"k".repeat(54)}`;
    expect(name).toHaveLength(63);
    expect(at(deployment, "spec", "template", "spec", "volumes")).toContainEqual(
      expect.objectContaining({ name }),
    );
  });

  test("a chart version with Flux' digest behind a plus makes valid labels", async () => {
    for (const object of await renderedBy("the defaults"))
      for (const value of Object.values(object.metadata.labels ?? {}))
        expect(value).toMatch(/^[A-Za-z0-9._-]{0,63}$/);
  });
});

describe("instances", () => {
  test("several need a Redis they share; without one there is one", async () => {
    const three = { reloader: { enableHA: true, deployment: { replicas: 3 } } };
    expect(at(the(await rendered({ values: three }), "Deployment"), "spec", "replicas")).toBe(1);
    const shared = { ...three, fleetReloader: { redis: { url: "redis://redis:6390" } } };
    const deployment = the(await rendered({ values: shared }), "Deployment");
    expect(at(deployment, "spec", "replicas")).toBe(3);
    expect(at(deployment, "spec", "template", "spec", "affinity", "podAntiAffinity")).toBeDefined();
  });

  test("a pod has more time to end than 25 s for requests and 4 s for notifications", async () => {
    const grace = async (values: object) =>
      at(
        the(await rendered({ values }), "Deployment"),
        ...["spec", "template", "spec", "terminationGracePeriodSeconds"],
      );
    expect(await grace({})).toBe(45);
    expect(await grace({ fleetReloader: { terminationGracePeriodSeconds: 120 } })).toBe(120);
  });

  test.each(Object.keys(matrix))("%s: the same values give the same bytes", async (name) => {
    const [one, two] = await Promise.all([1, 2].map(() => template(matrix[name] ?? {})));
    expect(one?.code, one?.errors).toBe(0);
    expect(one?.output).toBe(two?.output);
  });

  test("the product makes the mark key and Valkey's password: no Secret is rendered", async () => {
    const hub = { mode: "hub", hub: { valkey: { enabled: true } } };
    for (const values of [{}, { fleetReloader: hub }])
      expect((await rendered({ values })).filter(({ kind }) => kind === "Secret")).toEqual([]);
  });
});

describe("the network policy lets it work", () => {
  const ports = async (values: object) => {
    const policy = the(await rendered({ values }), "NetworkPolicy");
    const egress = at(policy, "spec", "egress");
    return (Array.isArray(egress) ? egress : []).map((rule) => {
      const list = at(rule, "ports");
      return (Array.isArray(list) ? list : []).map((each) => at(each, "port"));
    });
  };
  const reloader = { netpol: { enabled: true } };

  test("names and API servers always, Redis and webhooks when there are any", async () => {
    expect(await ports({ reloader })).toEqual([
      [53, 53],
      [443, 6443],
    ]);
    expect(await ports({ reloader, fleetReloader: { redis: { url: "rediss://redis.example" } } })).toEqual([
      [53, 53],
      [443, 6443],
      [6379],
    ]);
    expect(
      await ports({ reloader, fleetReloader: { redis: { url: "redis://redis:6390/2" } } }),
    ).toContainEqual([6390]);
    const url = "rediss-cluster://redis-0.example:7000,[::1]:7001,redis-2.example:7000";
    expect(await ports({ reloader, fleetReloader: { redis: { url } } })).toContainEqual([7000, 7001]);
    for (const env of [
      { open: { ALERT_SINK: "x" } },
      { secret: { ALERT_WEBHOOK_URL: "x" } },
      { existing: { s: { ALERT_WEBHOOK_URL: "k" } } },
    ])
      expect(await ports({ reloader: { ...reloader, deployment: { env } } })).toContainEqual([443, 80]);
  });
});

test("the notes name the annotation that is read, also where it has another name", async () => {
  const renamed = ["image.repository=fleet-reloader", "reloader.custom_annotations.auto=acme.io/auto"];
  const sets = renamed.flatMap((set) => ["--set", set]);
  const args = ["install", "reloader", chart, "--dry-run=client", ...sets];
  const { output } = await run(await ensureTool("helm"), args);
  expect(output).toContain("kubectl annotate deployment NAME acme.io/auto=true");
});
