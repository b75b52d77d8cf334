import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { chart, rendered, root } from "./helm.ts";
import { at, the } from "./manifest.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

async function notesOf(values: object): Promise<string> {
  const args = ["install", "reloader", chart, "--namespace", "tools", "--dry-run=client", "--values", "-"];
  const input = stringify({ image: { repository: "fleet-reloader" }, ...values }, { version: "1.1" });
  const { code, output, errors } = await run(await ensureTool("helm"), args, { input });
  expect(code, errors).toBe(0);
  return output.slice(output.indexOf("NOTES:"));
}

const access = { existingSecret: "who" };
const hub = { mode: "hub", hub: { dashboard: { enabled: true }, valkey: { enabled: true } } };
const forwarded = "port-forward service/reloader-reloader-dashboard 8080";

describe("the notes of a hub send people to a page that answers", () => {
  test("by a forwarded port, where it listens at the loopback address of its pod", async () => {
    for (const fleetReloader of [hub, { ...hub, access }]) {
      const notes = await notesOf({ fleetReloader });
      expect(notes).toContain(forwarded);
      expect(notes).not.toContain("sign in at service/");
    }
    const notes = await notesOf({ fleetReloader: { ...hub, access } });
    expect(notes).toContain("fleetReloader.dashboardAddress=:8080");
    expect(notes).not.toContain("read-only");
  });

  test("at its Service, where it listens for others", async () => {
    const notes = await notesOf({ fleetReloader: { ...hub, access, dashboardAddress: ":8088" } });
    expect(notes).toContain("sign in at service/reloader-reloader-dashboard, port 8088");
    expect(notes).not.toContain("port-forward service/");
  });
});

test("the notes say that alerts need a monitor, where rules are made and no monitor is", async () => {
  const fleetReloader = { prometheusRule: { enabled: true } };
  const says = (reloader: object) => notesOf({ fleetReloader, reloader });
  expect(await says({})).toContain("reloader.podMonitor.enabled=true");
  for (const monitor of ["podMonitor", "serviceMonitor"])
    expect(await says({ [monitor]: { enabled: true } })).not.toContain("reloader.podMonitor.enabled=true");
});

describe("the notes say which memory limit is too small", () => {
  const memory = (limit: unknown) => ({ resources: { limits: { memory: limit } } });
  const field = "reloader.deployment.resources.limits.memory";

  test.each(["128Mi", "255Mi", 134_217_728, "0.1Gi", "200M", 128])("%s, with the mend", async (limit) => {
    const notes = await notesOf({ reloader: { deployment: memory(limit) } });
    expect(notes).toContain(`${field} is ${limit},`);
    expect(notes).toContain("raise it to 256Mi or more, or remove it");
  });

  test.each(["256Mi", "1Gi", "", null])("%j is none", async (limit) => {
    expect(await notesOf({ reloader: { deployment: memory(limit) } })).not.toContain("limits.memory");
    expect(await notesOf({})).not.toContain("limits.memory");
  });

  test("of each process of a hub, and only of those that there are", async () => {
    const sizes = { watcher: memory("100Mi"), dashboard: { enabled: false, ...memory("64Mi") } };
    const notes = await notesOf({
      reloader: { deployment: memory("200Mi") },
      fleetReloader: { mode: "hub", hub: { valkey: { enabled: true }, ...sizes } },
    });
    expect(notes).toContain("fleetReloader.hub.watcher.resources.limits.memory is 100Mi,");
    // The workers have those of all.
    expect(notes).toContain(`${field} is 200Mi,`);
    expect(notes).not.toContain("hub.worker.resources");
    expect(notes).not.toContain("64Mi");
  });

  test("and the mend is what the page for those who move over says", () => {
    const page = readFileSync(join(root, "docs/migrate-from-stakater.md"), "utf8");
    expect(page).toContain("a memory limit below 256Mi, raise that limit");
  });
});

describe("the Service of standalone", () => {
  const portsOf = async (fleetReloader: object, service: object) =>
    at(
      the(await rendered({ values: { fleetReloader, reloader: { service } } }), "Service"),
      ...["spec", "ports"],
    );
  const http = { name: "http", port: 9090, protocol: "TCP", targetPort: "http" };
  const page = { name: "dashboard", port: 8080, protocol: "TCP", targetPort: "dashboard" };

  test("leads to the page where others reach it, and nowhere else", async () => {
    expect(await portsOf({ dashboardAddress: ":8080" }, { labels: { a: "b" } })).toEqual([http, page]);
    expect(await portsOf({}, { labels: { a: "b" } })).toEqual([http]);
    expect(await portsOf({ ...hub, access, dashboardAddress: ":8080" }, { labels: { a: "b" } })).toEqual([
      http,
    ]);
  });

  test("has no port twice", async () => {
    expect(await portsOf({ dashboardAddress: ":8080" }, { port: 8080 })).toEqual([{ ...http, port: 8080 }]);
  });
});

describe("the notes say which memory limit a heap does not fit into", () => {
  const limited = (memory: unknown) => ({ deployment: { resources: { limits: { memory } } } });
  const says = (heap: number, limit: string, of = "reloader.deployment") =>
    `maxHeapMiB is ${heap}, but ${of}.resources.limits.memory is ${limit}, so`;

  test("where it is as large or larger, also where nobody set the limit", async () => {
    const notes = (maxHeapMiB: number, reloader = {}) => notesOf({ fleetReloader: { maxHeapMiB }, reloader });
    expect(await notes(1024, limited("1Gi"))).toContain(says(1024, "1Gi"));
    expect(await notes(600, limited(536_870_912))).toContain(says(600, "536870912"));
    expect(await notes(600)).toContain(says(600, "512Mi"));
    for (const fitting of [limited("2Gi"), limited(null)])
      expect(await notes(1024, fitting)).not.toContain("maxHeapMiB");
  });

  test("of each process of a hub", async () => {
    const resources = { limits: { memory: "300Mi" } };
    const more = { valkey: { enabled: true }, worker: { resources } };
    const notes = await notesOf({ fleetReloader: { mode: "hub", maxHeapMiB: 400, hub: more } });
    expect(notes).toContain(says(400, "300Mi", "fleetReloader.hub.worker"));
    expect(notes).not.toContain("is 512Mi");
  });
});

describe("the notes say which budget lets no node be drained", () => {
  const stuck = (name: string, limit: string) =>
    `The PodDisruptionBudget ${name} (${limit}) lets none of its pods be evicted`;
  const notes = (budget: object, more: object = {}, replicas = 1) =>
    notesOf({
      reloader: { podDisruptionBudget: { enabled: true, ...budget }, deployment: { replicas } },
      fleetReloader: more,
    });
  const redis = { redis: { url: "redis://redis" } };

  test.each([
    ["minAvailable", 1],
    ["minAvailable", "50%"],
    ["maxUnavailable", 0],
    ["maxUnavailable", "0%"],
  ])("%s %j of one pod", async (kind, limit) => {
    const text = await notes({ [kind]: limit });
    expect(text).toContain(stuck("reloader-reloader", `${kind}: ${limit}`));
    expect(text).toContain("Please set reloader.podDisruptionBudget.maxUnavailable=1.");
  });

  test("and none that lets one go", async () => {
    for (const text of [
      ...[
        await notes({}),
        await notes({ maxUnavailable: "1%" }),
        await notes({ enabled: false, minAvailable: 1 }),
      ],
      ...[await notes({ minAvailable: 1 }, redis, 2), await notes({ minAvailable: "50%" }, redis, 3)],
      // Without a Redis one of several runs, and has no budget.
      await notes({ minAvailable: 1 }, {}, 2),
    ])
      expect(text).not.toContain("evicted");
  });

  test("of each process of a hub; KEDA may make more workers", async () => {
    const hubbed = { mode: "hub", ...redis };
    const watcher = { replicas: 1 };
    const text = await notes({ minAvailable: 1 }, { ...hubbed, hub: { watcher } });
    expect(text).toContain(stuck("reloader-reloader-watcher", "minAvailable: 1"));
    expect(text).not.toContain("reloader-reloader-worker (");
    const scaled = await notes({ minAvailable: 2 }, { ...hubbed, hub: { keda: { enabled: true } } });
    expect(scaled).toContain(stuck("reloader-reloader-watcher", "minAvailable: 2"));
    expect(scaled).not.toContain("reloader-reloader-worker (");
  });
});

describe("the notes say that no workload is rolled", () => {
  const says = "No workload is rolled, since a URL is called instead";
  const url = "http://hooks/changed";

  test("where a webhook is told, which the peer's chart drops without custom annotations", async () => {
    const flag = "--webhook-url or FLEET_RELOADER_WEBHOOK_URL";
    for (const [set, values] of [
      ["reloader.webhookUrl", { reloader: { webhookUrl: url } }],
      ["reloader.webhookUrl", { reloader: { webhookUrl: url }, fleetReloader: hub }],
      [flag, { fleetReloader: { args: [`--webhook-url=${url}`] } }],
      [flag, { reloader: { deployment: { env: { secret: { FLEET_RELOADER_WEBHOOK_URL: url } } } } }],
    ] as const) {
      const notes = await notesOf(values);
      expect(notes).toContain(`${says}: ${set} is set.`);
      expect(notes).toContain(`remove ${set}.`);
      expect(notes).toContain("--notify-webhook-url");
      expect(notes).not.toContain("kubectl annotate");
      expect(notes).not.toContain(url);
    }
  });

  test("and otherwise how to have one rolled", async () => {
    for (const values of [{}, { fleetReloader: { args: [`--notify-webhook-url=${url}`] } }]) {
      const notes = await notesOf(values);
      expect(notes).toContain("kubectl annotate deployment NAME reloader.stakater.com/auto=true");
      expect(notes).not.toContain(says);
    }
  });
});

describe("without rights from the chart the notes say which Secret the pods make", () => {
  const rbac = { enabled: false };
  const says = "may create Secrets in the namespace tools";

  test("and how to do without the right", async () => {
    const notes = await notesOf({ reloader: { rbac } });
    expect(notes).toContain(says);
    expect(notes).toContain("get reloader-reloader-mark-key");
    expect(notes).toContain("fleetReloader.markKey.existingSecret");
    expect(notes).not.toContain("valkey");
  });

  test("also that of a hub's Valkey", async () => {
    const notes = await notesOf({ reloader: { rbac }, fleetReloader: hub });
    expect(notes).toContain("get reloader-reloader-mark-key and reloader-reloader-valkey-password");
    expect(notes).toContain("fleetReloader.hub.valkey.existingSecret");
  });

  test("and nothing where the chart grants it, or a Secret is named", async () => {
    const markKey = { existingSecret: "mine" };
    for (const values of [{}, { reloader: { rbac }, fleetReloader: { markKey } }])
      expect(await notesOf(values)).not.toContain(says);
  });
});

test("the notes name values that only other versions of the peer's chart have", async () => {
  const notes = await notesOf({ reloader: { replicas: 3, volumes: [] } });
  expect(notes).toContain("it belongs into reloader.deployment.replicas.");
  expect(notes).not.toContain("reloader.deployment.volumes");
});

describe("with a NetworkPolicy the notes name what the values do not tell", () => {
  const policy = async (values: object, reloader: object = {}) => {
    const notes = await notesOf({ ...values, reloader: { netpol: { enabled: true }, ...reloader } });
    const at = notes.indexOf("They do not name those of");
    return at < 0 ? "" : notes.slice(at, notes.indexOf("Keep the Secret"));
  };

  test("the ports of other clusters' API servers, and where to put them", async () => {
    const fleetReloader = { clusters: { secrets: ["cluster-api"] } };
    const says = "Open are 443, 6443; put others into fleetReloader.networkPolicy.apiServerPorts";
    expect(await policy({ fleetReloader })).toContain(`${says}.`);
    const to = [{ ipBlock: { cidr: "10.0.0.0/8" } }];
    const narrow = await policy({ fleetReloader }, { netpol: { enabled: true, to } });
    expect(narrow).toContain(`${says}, and addresses into reloader.netpol.to.`);
  });

  test("the ports of URLs in Secrets of one's own", async () => {
    const existing = {
      hook: { ALERT_WEBHOOK_PROXY: "proxy", OTHER: "x", OTEL_EXPORTER_OTLP_ENDPOINT: "url" },
    };
    const text = await policy({}, { deployment: { env: { existing } } });
    expect(text).toContain("- ALERT_WEBHOOK_PROXY (Secret hook). Open are 443, 80; put others into");
    expect(text).toContain("- OTEL_EXPORTER_OTLP_ENDPOINT (Secret hook). None is open; put a rule into");
    expect(text).not.toContain("OTHER");
    const redis = { existingSecret: "redis-url", port: 6390 };
    expect(await policy({ fleetReloader: { redis } })).toContain("- Redis (Secret redis-url). Open is 6390;");
  });

  test("and nothing where the values tell all, or no policy is made", async () => {
    const env = { open: { ALERT_WEBHOOK_URL: "http://hooks:8080" } };
    expect(await policy({}, { deployment: { env } })).toBe("");
    const fleetReloader = { clusters: { secrets: ["cluster-api"] } };
    expect(await policy({ fleetReloader }, { netpol: { enabled: false } })).toBe("");
  });
});
