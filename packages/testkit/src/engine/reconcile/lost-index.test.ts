import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { ClusterStreams } from "@fleet-reloader/engine/watch/cluster-streams";
import { ClusterWatcher } from "@fleet-reloader/engine/watch/cluster-watcher";
import { describe, expect, test } from "vitest";
import { auto, createTestBed } from "../../beds/test-bed.ts";
import { watching } from "../../beds/watched-cluster.ts";

describe("a watcher that is told to end while Redis does not answer", () => {
  // Commands wait for a reconnection instead of failing: they would keep the process from ending.
  test.each(["open", "put", "verify", "findChanged"])(
    "ends all the same, though it waits for %s",
    async (call) => {
      const bed = await watching({
        beforeIndex: async (asked) => {
          if (asked === call) await new Promise(() => undefined);
        },
      });
      await bed.clock.advance(5000);
      bed.stop();
      await bed.clock.advance(5000);
      await bed.running;
      expect(bed.clock.sleeping).toBe(0);
    },
  );
});

describe("an index that is lost", () => {
  test("is noticed within a second without events, and everything is compared again", async () => {
    await using bed = await watching();
    bed.asked();
    bed.index.wipe();
    await bed.clock.advance(2000);
    expect(bed.asked()).toEqual(["(api)", "(api)"]);
    expect(bed.index.workloads).toEqual(["Deployment/ns/api"]);
    expect(bed.watcher.isInSync).toBe(true);
    expect(bed.meter.count("lost c1")).toBe(1);
  });

  test("is noticed by the next event at once", async () => {
    await using bed = await watching();
    bed.asked();
    bed.index.wipe();
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    await bed.clock.advance(300);
    expect(bed.asked()).toEqual(["(api)", "(api)"]);
  });

  test("during the very first list begins anew, and nothing is missing afterwards", async () => {
    let isLost = false;
    const bed = createTestBed({
      beforeIndex: (call) => {
        if (call !== "retain" || isLost) return;
        isLost = true;
        bed.index.wipe();
      },
    });
    for (const name of ["api", "web", "old"])
      bed.cluster.setWorkload(name, { template: templateUsing({ app: {} }), annotations: auto });
    const lifetime = new AbortController();
    const running = new ClusterWatcher({ ...bed, cluster: "c1", name: "c1", streams: bed.cluster }).run(
      lifetime.signal,
    );
    await bed.clock.advance(2000);
    expect(bed.index.workloads).toHaveLength(3);
    lifetime.abort();
    await running;
  });

  // A list of the old life that ended late would take out what the new one has put in.
  test("is not touched by the streams of before: all have ended when the new life begins", async () => {
    const happened: string[] = [];
    const slow = Promise.withResolvers<void>();
    const bed = createTestBed({
      beforeIndex: (call) => {
        if (call === "open") happened.push("open");
        if (call === "put" && happened.length === 1) bed.index.wipe();
      },
    });
    bed.cluster.setWorkload("api", { template: templateUsing({ app: {} }), annotations: auto });
    const streams: ClusterStreams = {
      workloads: (kind, handler) => ({
        async run(signal, onState) {
          await bed.cluster.workloads(kind, handler).run(signal, onState);
          if (kind.kind === "DaemonSet") await slow.promise;
          happened.push("ended");
        },
      }),
      sources: (kind, handler) => bed.cluster.sources(kind, handler),
      namespaces: (handler) => bed.cluster.namespaces(handler),
      serverSeconds: () => bed.cluster.serverSeconds(),
    };
    const lifetime = new AbortController();
    const running = new ClusterWatcher({ ...bed, cluster: "c1", name: "c1", streams }).run(lifetime.signal);
    await bed.clock.advance(2000);
    expect(happened).toEqual(["open", "ended", "ended"]);
    slow.resolve();
    await bed.clock.advance(2000);
    expect(happened).toEqual(["open", "ended", "ended", "ended", "open"]);
    lifetime.abort();
    await running;
  });
});

describe("a cluster that comes back after it was forgotten", () => {
  test("is adopted as at a first start: only what its applied state shows rolls", async () => {
    await using bed = await watching();
    bed.cluster.setSource("ConfigMap", "db", { a: "1" });
    const web = { template: templateUsing({ db: {} }), annotations: auto };
    const refOfWeb = bed.cluster.setWorkload("web", web);
    await bed.elapse(5000);
    await bed.end();
    expect(bed.cluster.rolls()).toEqual([]);
    await bed.clock.advance(31 * 24 * 3_600_000);
    bed.cluster.setSource("ConfigMap", "db", { a: "2" });
    const neverNoted = { template: templateUsing({ app: {} }), annotations: auto };
    bed.cluster.setWorkload("new", neverNoted);
    await bed.clock.advance(60_000);
    bed.index.wipe();
    const again = bed.watch();
    await bed.elapse(5000);
    expect(again.watcher.isAdopted).toBe(true);
    expect(bed.cluster.rolls(refOfWeb)).toHaveLength(1);
    expect(bed.cluster.rolls()).toHaveLength(1);
    await again.end();
  });
});
