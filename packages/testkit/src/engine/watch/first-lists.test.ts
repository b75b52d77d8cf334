import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { ClusterStreams } from "@fleet-reloader/engine/watch/cluster-streams";
import { describe, expect, test } from "vitest";
import { failingStream } from "../../beds/failing-stream.ts";
import { auto, type createTestBed } from "../../beds/test-bed.ts";
import { watching } from "../../beds/watched-cluster.ts";

const minuteMs = 60_000;

const usesApp = { template: templateUsing({ app: {} }), annotations: auto };

/** The streams of a cluster that answers 503 to each list of these kinds, from when they break until they are mended. */
function failing(kinds: readonly string[], { isBroken = true } = {}) {
  const mended = Promise.withResolvers<void>();
  const streamsOf = ({ cluster }: ReturnType<typeof createTestBed>): ClusterStreams => ({
    workloads(kind, handler) {
      const stream = cluster.workloads(kind, handler);
      return isBroken && kinds.includes(kind.kind) ? failingStream(stream, mended.promise) : stream;
    },
    sources: (kind, handler) => cluster.sources(kind, handler),
    namespaces: (handler) => cluster.namespaces(handler),
    serverSeconds: () => cluster.serverSeconds(),
  });
  return {
    streamsOf,
    mend: () => mended.resolve(),
    breakDown() {
      isBroken = true;
    },
  };
}

describe("a kind whose list fails", () => {
  test("keeps the others from being served for a minute, and is reported as behind", async () => {
    await using bed = await watching({}, failing(["DaemonSet"]).streamsOf);
    await bed.clock.advance(minuteMs - 1);
    expect(bed.watcher.statuses.map(({ resource }) => resource)).not.toContain("ConfigMap");
    await bed.clock.advance(1);
    bed.asked();
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    await bed.clock.advance(0);
    expect(bed.asked()).toEqual(["api"]);
    expect(bed.watcher.isInSync).toBe(false);
    expect(bed.watcher.isAdopted).toBe(false);
    expect(bed.watcher.lag.behind).toEqual(["DaemonSet is backoff (answered 503)"]);
  });

  test("is caught up with when its list succeeds, however late", async () => {
    const { streamsOf, mend, breakDown } = failing(["DaemonSet"], { isBroken: false });
    await using bed = await watching({}, streamsOf);
    const agent = bed.cluster.setWorkload("agent", usesApp, "DaemonSet");
    await bed.elapse(minuteMs);
    await bed.end();
    breakDown();
    const { watcher, end } = bed.watch();
    await bed.elapse(2 * minuteMs);
    const late = bed.cluster.setWorkload("late", usesApp, "DaemonSet");
    await bed.elapse(minuteMs);
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    await bed.elapse(minuteMs);
    // The index still has the one; nobody has been shown the other.
    expect([bed.cluster.rolls(agent).length, bed.cluster.rolls(late).length]).toEqual([1, 0]);
    mend();
    await bed.elapse(minuteMs);
    expect(watcher.isAdopted).toBe(true);
    expect([bed.cluster.rolls(agent).length, bed.cluster.rolls(late).length]).toEqual([1, 1]);
    await end();
  });

  test("is waited for where no list succeeds: the cluster is away", async () => {
    const { streamsOf, mend } = failing(["DaemonSet", "Deployment", "StatefulSet"]);
    await using bed = await watching({}, streamsOf);
    await bed.clock.advance(10 * minuteMs);
    expect(bed.watcher.statuses.map(({ resource }) => resource)).not.toContain("ConfigMap");
    mend();
    await bed.clock.advance(0);
    expect(bed.watcher.isInSync).toBe(true);
  });
});
