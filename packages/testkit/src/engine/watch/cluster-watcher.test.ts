import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { deployment } from "@fleet-reloader/domain/kind/pod-controller";
import { ShownWorkloads } from "@fleet-reloader/engine/observe/shown-workloads";
import type { StateListener } from "@fleet-reloader/engine/ports/source-stream";
import { ClusterWatcher } from "@fleet-reloader/engine/watch/cluster-watcher";
import { describe, expect, test } from "vitest";
import { auto, createTestBed } from "../../beds/test-bed.ts";
import { watching } from "../../beds/watched-cluster.ts";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MarkedText } from "../../memory/marked-text.ts";

describe("a watcher of a cluster", () => {
  test("is in sync once every stream has listed, and asks for what it found", async () => {
    await using bed = await watching();
    expect(bed.watcher.isInSync).toBe(true);
    expect(bed.watcher.statuses.map(({ resource, state }) => `${resource} ${state}`).sort()).toEqual([
      "ConfigMap watching",
      "DaemonSet watching",
      "Deployment watching",
      "Secret watching",
      "StatefulSet watching",
    ]);
    expect(bed.asked()).toEqual(["(api)", "(api)"]);
  });

  test("says which streams have been behind for ten seconds, and since when", async () => {
    const reconnected = Promise.withResolvers<void>();
    const broken = Promise.withResolvers<void>();
    await using bed = await watching({}, ({ cluster }) => ({
      workloads(kind, handler) {
        const stream = cluster.workloads(kind, handler);
        if (kind.kind !== "DaemonSet") return stream;
        return {
          run: async (signal, onState) => {
            void broken.promise.then(() => onState("backoff", "no route"));
            void reconnected.promise.then(() => onState("watching", ""));
            await stream.run(signal, onState);
          },
        };
      },
      sources: (kind, handler) => cluster.sources(kind, handler),
      namespaces: (handler) => cluster.namespaces(handler),
      serverSeconds: () => cluster.serverSeconds(),
    }));
    const inSync = { streams: 5, behindCount: 0, behind: [], behindSinceMs: undefined };
    expect(bed.watcher.lag).toEqual(inSync);
    const sinceMs = bed.clock.now();
    broken.resolve();
    await bed.clock.advance(9000);
    expect(bed.watcher.lag).toEqual(inSync);
    await bed.clock.advance(2000);
    const behind = ["DaemonSet is backoff (no route)"];
    expect(bed.watcher.lag).toEqual({ streams: 5, behindCount: 1, behind, behindSinceMs: sinceMs });
    reconnected.resolve();
    await bed.clock.advance(0);
    expect(bed.watcher.lag).toEqual(inSync);
  });

  test("turns a change of a source into one request for each workload that uses it", async () => {
    await using bed = await watching();
    bed.asked();
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    bed.cluster.setSource("ConfigMap", "unused", { a: "2" });
    await bed.clock.advance(0);
    expect(bed.asked()).toEqual(["api"]);
  });

  // Nothing of what is unchanged is asked for again: the index and the checkpoints are those of the watcher before.
  test("takes over from one that ended, and requests only what changed in between", async () => {
    const bed = createTestBed();
    for (const name of ["app", "still"]) {
      bed.cluster.setSource("ConfigMap", name, { a: "1" });
      bed.cluster.setWorkload(name, { template: templateUsing({ [name]: {} }), annotations: auto });
    }
    const watch = () => {
      const watcher = new ClusterWatcher({ ...bed, cluster: "c1", name: "c1", streams: bed.cluster });
      const lifetime = new AbortController();
      const running = watcher.run(lifetime.signal);
      const end = (): Promise<void> => {
        lifetime.abort();
        return running;
      };
      return { watcher, end };
    };
    const first = watch();
    await bed.elapse(100);
    await first.end();
    bed.queue.additions.splice(0);

    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    bed.cluster.setWorkload("new", { template: templateUsing({ app: {} }), annotations: auto });
    const next = watch();
    await bed.clock.advance(0);
    expect(next.watcher.isInSync).toBe(true);
    expect(bed.queue.additions.map(({ request, purpose }) => `${purpose} ${request.workload.name}`)).toEqual([
      "adoption new",
      "change app",
      "change new",
    ]);
    await next.end();
  });

  test("repeats what could not be put into the queue", async () => {
    let isDown = false;
    await using bed = await watching({
      beforeQueue: () => {
        if (isDown) throw new Error("Redis is down");
      },
    });
    bed.asked();
    isDown = true;
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    await bed.clock.advance(5000);
    expect(bed.asked()).toEqual([]);
    isDown = false;
    await bed.clock.advance(1000);
    expect(bed.asked()).toEqual(["api"]);
  });

  // Against an incomplete index "nobody uses it" would be a guess.
  test("looks at sources only after all workloads are in the index", async () => {
    const started: string[] = [];
    const daemonSets = Promise.withResolvers<void>();
    await using bed = await watching({}, ({ cluster }) => ({
      workloads(kind, handler) {
        started.push(kind.kind);
        const stream = cluster.workloads(kind, handler);
        if (kind.kind !== "DaemonSet") return stream;
        return {
          run: async (signal, onState) => {
            await daemonSets.promise;
            await stream.run(signal, onState);
          },
        };
      },
      sources(kind, handler) {
        started.push(kind);
        return cluster.sources(kind, handler);
      },
      namespaces: (handler) => cluster.namespaces(handler),
      serverSeconds: () => cluster.serverSeconds(),
    }));
    await bed.clock.advance(10_000);
    expect(started.sort()).toEqual(["DaemonSet", "Deployment", "StatefulSet"]);
    expect(bed.watcher.isInSync).toBe(false);
    daemonSets.resolve();
    await bed.clock.advance(0);
    expect(started).toHaveLength(5);
    expect(bed.watcher.isInSync).toBe(true);
  });

  // No right to see DaemonSets must not keep Deployments from being served (W10).
  test("does not wait for a kind that we may not see", async () => {
    await using bed = await watching({}, ({ cluster }) => ({
      workloads: (kind, handler) =>
        kind.kind === "DaemonSet"
          ? { run: async (_: AbortSignal, onState: StateListener) => onState("blocked", "forbidden") }
          : cluster.workloads(kind, handler),
      sources: (kind, handler) => cluster.sources(kind, handler),
      namespaces: (handler) => cluster.namespaces(handler),
      serverSeconds: () => cluster.serverSeconds(),
    }));
    expect(bed.asked()).toEqual(["(api)", "(api)"]);
    expect(bed.watcher.isInSync).toBe(false);
    expect(bed.watcher.statuses).toContainEqual({
      resource: "DaemonSet",
      state: "blocked",
      why: "forbidden",
    });
  });

  test("waits for no kind that the API server does not have, and is in sync without it", async () => {
    await using bed = await watching({}, ({ cluster }) => ({
      workloads: (kind, handler) =>
        kind.kind === "DaemonSet"
          ? { run: async (_: AbortSignal, onState: StateListener) => onState("absent", "no such group") }
          : cluster.workloads(kind, handler),
      sources: (kind, handler) => cluster.sources(kind, handler),
      namespaces: (handler) => cluster.namespaces(handler),
      serverSeconds: () => cluster.serverSeconds(),
    }));
    expect(bed.asked()).toEqual(["(api)", "(api)"]);
    expect(bed.watcher.isInSync).toBe(true);
  });

  test("forgets the workloads of a kind that is served no more", async () => {
    const bed = createTestBed();
    await bed.index.open();
    const workload = { kind: "CronJob", namespace: "ns", name: "report" };
    const entry = { workload, sources: ["ConfigMap/ns/app"], patterns: [], scope: "", window: {} };
    await bed.index.put([entry]);
    const watcher = new ClusterWatcher({ ...bed, cluster: "c1", name: "c1", streams: bed.cluster });
    const lifetime = new AbortController();
    const running = watcher.run(lifetime.signal);
    await bed.clock.advance(0);
    expect(bed.index.workloads).toEqual([]);
    lifetime.abort();
    await running;
  });

  test("says which stream is behind, and why", async () => {
    await using bed = await watching({
      beforeIndex: (call) => {
        if (call === "findChanged") throw new Error("Redis is down");
      },
    });
    expect(bed.watcher.isInSync).toBe(false);
    expect(bed.watcher.statuses).toContainEqual({
      resource: "ConfigMap",
      state: "backoff",
      why: "Redis is down",
    });
  });

  test("ends when it is told to, with nothing left that waits", async () => {
    const bed = await watching();
    bed.stop();
    await bed.running;
    expect(bed.clock.sleeping).toBe(0);
    bed.asked();
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    await bed.clock.advance(10_000);
    expect(bed.asked()).toEqual([]);
  });

  test("keeps nothing of a cluster that it no longer watches", async () => {
    const shown = new ShownWorkloads(new ManualClock(), new MarkedText());
    const bed = await watching({ shown });
    const live = bed.cluster.workload(bed.api);
    if (live !== undefined) shown.show("c2", live, deployment);
    await bed.end();
    const isKept = (cluster: string) => shown.take(cluster, bed.api, deployment) !== undefined;
    expect([isKept("c1"), isKept("c2")]).toEqual([false, true]);
  });

  test("ends also while it cannot even begin", async () => {
    const bed = await watching({
      beforeIndex: () => {
        throw new Error("Redis is down");
      },
    });
    await bed.clock.advance(10_000);
    bed.stop();
    await bed.running;
    expect(bed.log.messages("warn")).toContain("watch begins anew");
  });
});
