import { auditEvent, eventList } from "@fleet-reloader/audit/fixture/audit-events";
import type { Addition } from "@fleet-reloader/engine/ports/workqueue";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAuditedWrites } from "@fleet-reloader/redis/hints/redis-audited-writes";
import { RedisHints } from "@fleet-reloader/redis/hints/redis-hints";
import type { EventSourceMode } from "@fleet-reloader/runtime/audit/hint-fields";
import { ruleFields } from "@fleet-reloader/runtime/config/fields";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { engagedCluster } from "../fixture/engaged-cluster.ts";
import { watchingOf } from "../fixture/watching-of.ts";
import { createAuditReceiver } from "./audit-receiver.ts";
import { createServedFilter } from "./hinted-resources.ts";

const configMap = (value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop" },
  data: { value },
});

const deployment = (name: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "shop", annotations: { "reloader.stakater.com/auto": "true" } },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [{ name: "app", image: "app:1", envFrom: [{ configMapRef: { name: "settings" } }] }],
      },
    },
  },
});

/** A cluster that allows no watch, watched by one process, while audit events reach another one. */
async function startAudited(eventSource: EventSourceMode = "audit") {
  const cluster = await startSimCluster({ controllers: false });
  cluster.apply(configMap("1"));
  cluster.apply(deployment("api"));
  cluster.addUser("lister", [{ verbs: ["get", "list"], apiGroups: ["*"], resources: ["*"] }]);
  const redis = await startRedis();
  const log = new CollectedLog();
  const meter = new CountingMeter();
  const client = new RedisClient(redisAddress(redis.url), log);
  const keys = new Keys("audit");
  const settings = settingsOf(loadConfig(ruleFields, { args: [], env: {} }));
  const shared = { client, keys, clock: systemClock, log, meter, settings };
  const added: Addition[] = [];
  const queue = {
    add: async (more: readonly Addition[]) => void added.push(...more),
    waits: async () => false,
  };
  const watching = watchingOf({ ...shared, queue, eventSource });
  const user = eventSource === "audit" ? "lister" : undefined;
  const { connection, engaged, synced, told } = engagedCluster(cluster.kubeconfig(user));
  const lifetime = new AbortController();
  const running = watching.watch(engaged, lifetime.signal);
  await synced;
  const receive = createAuditReceiver({
    clusterNamed: (name) => (name === "nova" ? engaged : undefined),
    isServed: createServedFilter(settings),
    eventSource,
    hints: new RedisHints(shared),
    writes: new RedisAuditedWrites(shared),
    clock: systemClock,
    log,
    meter,
  });
  return {
    cluster,
    client,
    keys,
    log,
    meter,
    receive,
    watching,
    /** `purpose name` of each request since the last call. */
    requested: () => added.splice(0).map(({ purpose, request }) => `${purpose} ${request.workload.name}`),
    added,
    /** The missed hints that the engagement received. */
    told,
    async unwatch() {
      lifetime.abort();
      await running;
    },
    async [Symbol.asyncDispose]() {
      lifetime.abort();
      await running;
      await connection.close();
      await client.close();
      await redis[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

describe("a cluster whose audit events are received", () => {
  test("is served without a watch, whichever process received them", async () => {
    await using bed = await startAudited();
    expect(new Set(bed.requested())).toEqual(new Set(["adoption api"]));
    bed.cluster.apply(configMap("2"));
    expect(await bed.receive("nova", eventList(auditEvent(), auditEvent()))).toBe("accepted");
    await until("the change is requested", () => bed.added.length > 0);
    expect(bed.requested()).toEqual(["change api"]);

    bed.cluster.apply(deployment("web"));
    const objectRef = { apiGroup: "apps", resource: "deployments", namespace: "shop", name: "web" };
    await bed.receive("nova", eventList(auditEvent({ verb: "create", objectRef })));
    await until("the new workload is adopted", () => bed.added.length > 0);
    expect(bed.requested()).toEqual(["adoption web"]);
    expect([...bed.cluster.requests.keys()].filter((key) => key.startsWith("watch "))).toEqual([]);
    await until(
      "all hints are settled",
      async () => !(await bed.client.connection.exists(bed.keys.cluster("c1").hints)),
    );
  });

  test("has its missed hints counted from 0 on, so that an alert sees the first one", async () => {
    await using bed = await startAudited();
    expect(bed.meter.sentences).toContain("hints missed nova");
    expect(bed.meter.count("hints missed nova")).toBe(0);
  });

  test("misses no hint any more for a process that watches it no longer", async () => {
    await using bed = await startAudited();
    await bed.unwatch();
    expect(bed.told).toEqual([[]]);
  });

  test("requests nothing for events that are forged, repeated or years old", async () => {
    await using bed = await startAudited();
    bed.requested();
    const old = {
      requestReceivedTimestamp: "2001-01-01T00:00:00Z",
      stageTimestamp: "2001-01-01T00:00:00Z",
    };
    const objectRef = { resource: "secrets", namespace: "kube-system", name: "never-was" };
    const body = eventList(
      auditEvent(old),
      auditEvent({ objectRef }),
      ...Array.from({ length: 50 }, () => auditEvent()),
    );
    const listsOf = (resource: string) => bed.cluster.requestCount("list", resource).requests;
    const before = [listsOf("configmaps"), listsOf("secrets")];
    expect(await bed.receive("nova", body)).toBe("accepted");
    await until(
      "all hints are settled",
      async () => !(await bed.client.connection.exists(bed.keys.cluster("c1").hints)),
    );
    expect([listsOf("configmaps"), listsOf("secrets")]).toEqual(before.map((count) => count + 1));
    expect(bed.requested()).toEqual([]);
  });

  test("answers what cannot be read or stored with what the API server has to do", async () => {
    await using bed = await startAudited();
    expect(await bed.receive("nova", Buffer.from("nonsense"))).toBe("malformed");
    expect(await bed.receive("nova", Buffer.from("{}"))).toBe("malformed");
    expect(await bed.receive("unknown", eventList(auditEvent()))).toBe("unavailable");
    await bed.client.connection.config("SET", "maxmemory", "1");
    expect(await bed.receive("nova", eventList(auditEvent()))).toBe("unavailable");
    await bed.client.connection.config("SET", "maxmemory", "0");
    expect(await bed.receive("nova", eventList(auditEvent()))).toBe("accepted");
  });

  test("is told of events with objects once, and nothing of them is stored", async () => {
    await using bed = await startAudited("both");
    const requestObject = { data: { password: "canary-81c2" } };
    for (const _ of [1, 2]) await bed.receive("nova", eventList(auditEvent({ requestObject })));
    expect(bed.log.messages("error")).toHaveLength(1);
    expect(bed.meter.count("audit events nova body")).toBe(2);
    const stored = await bed.client.connection.zrange(bed.keys.cluster("c1").auditedWrites, "0", "-1");
    expect(JSON.stringify([bed.log.lines, stored])).not.toContain("canary");
    expect(await bed.client.connection.exists(bed.keys.cluster("c1").hints)).toBe(0);
  });

  test("leaves the end of a freeze by an annotation to the time of the hold", async () => {
    await using bed = await startAudited();
    expect(bed.watching.annotationsOf("c1")).toBe("unknown");
    await bed.unwatch();
    expect(bed.watching.annotationsOf("c1")).toBeUndefined();
  });
});
