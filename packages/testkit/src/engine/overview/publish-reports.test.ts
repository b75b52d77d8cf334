import { publishReports } from "@fleet-reloader/engine/overview/publish-reports";
import type { ClusterReport } from "@fleet-reloader/engine/ports/ownership";
import { expect, test } from "vitest";
import { CollectedLog } from "../../memory/collected-log.ts";
import { ManualClock } from "../../memory/manual-clock.ts";

const well: ClusterReport = {
  status: { state: "Ready", why: [] },
  streams: 8,
  behindCount: 0,
  behind: [],
  behindSinceMs: undefined,
  missingRights: [],
  missingRightCount: 0,
};
const listing: ClusterReport = { ...well, status: { state: "Syncing", why: [] }, streams: 0 };
const behind: ClusterReport = {
  ...well,
  behindCount: 1,
  behind: ["Deployment is backoff ()"],
  behindSinceMs: 5,
};

/** A publisher of the reports that a test changes, and what it wrote. */
function startPublishing(reports: Map<string, ClusterReport>) {
  const clock = new ManualClock();
  const life = new AbortController();
  const writes: (readonly [changed: readonly string[], removed: readonly string[]])[] = [];
  const state = { renewals: 0, isThere: true, isAway: false, cleared: 0 };
  const ended = publishReports(
    {
      store: {
        async write(changed, removed) {
          if (state.isAway) throw new Error("no connection");
          const wasThere = state.isThere;
          state.isThere = true;
          writes.push([[...changed.keys()], removed]);
          return wasThere;
        },
        async renew() {
          state.renewals += 1;
          return state.isThere;
        },
        async clear() {
          state.cleared += 1;
          state.isThere = false;
        },
      },
      reports: () => reports,
      clock,
      log: new CollectedLog(),
    },
    life.signal,
  );
  const stop = async () => {
    life.abort();
    await ended;
  };
  return { clock, writes, state, stop };
}

test("reports of a thousand clusters are one write, and none while nothing changes", async () => {
  const names = Array.from({ length: 1000 }, (_, at) => `c${at}`);
  const bed = startPublishing(new Map(names.map((name) => [name, well])));
  await bed.clock.advance(600_000);
  expect(bed.writes).toEqual([[names, []]]);
  expect(bed.state.renewals).toBe(30);
  await bed.stop();
});

test("a report that changes all the time is written once in 15 s, another one at once", async () => {
  const reports = new Map([
    ["a", well],
    ["b", well],
  ]);
  const bed = startPublishing(reports);
  await bed.clock.advance(30_000);
  for (let second = 0; second < 60; second += 1) {
    reports.set("a", { ...behind, behindSinceMs: second });
    await bed.clock.advance(1000);
  }
  const [, ...later] = bed.writes;
  expect(later.length).toBeGreaterThanOrEqual(4);
  expect(later.length).toBeLessThanOrEqual(5);
  reports.set("b", behind);
  await bed.clock.advance(1000);
  expect(bed.writes.at(-1)?.[0]).toContain("b");
  await bed.stop();
});

test("a cluster is written when its first lists are over, or after ten seconds", async () => {
  const reports = new Map([
    ["quick", listing],
    ["slow", listing],
  ]);
  const bed = startPublishing(reports);
  await bed.clock.advance(3000);
  expect(bed.writes).toEqual([]);
  reports.set("quick", well);
  await bed.clock.advance(1000);
  expect(bed.writes).toEqual([[["quick"], []]]);
  await bed.clock.advance(8000);
  expect(bed.writes.at(-1)).toEqual([["slow"], []]);
  await bed.stop();
});

test("a cluster that is not watched any more is removed, and everything is at the end", async () => {
  const reports = new Map([
    ["a", well],
    ["b", well],
  ]);
  const bed = startPublishing(reports);
  await bed.clock.advance(1000);
  reports.delete("a");
  await bed.clock.advance(1000);
  expect(bed.writes.at(-1)).toEqual([[], ["a"]]);
  // What another process of this name left goes at the begin.
  expect(bed.state.cleared).toBe(1);
  await bed.stop();
  expect(bed.state.cleared).toBe(2);
});

test("what Redis has lost, or did not take, is written again", async () => {
  const bed = startPublishing(new Map([["a", well]]));
  bed.state.isAway = true;
  await bed.clock.advance(5000);
  bed.state.isAway = false;
  await bed.clock.advance(1000);
  expect(bed.writes).toEqual([[["a"], []]]);
  bed.state.isThere = false;
  await bed.clock.advance(25_000);
  expect(bed.writes.length).toBe(2);
  await bed.stop();
});

test("what Redis has lost is written again also when something changes meanwhile", async () => {
  const reports = new Map([
    ["a", well],
    ["b", well],
  ]);
  const bed = startPublishing(reports);
  await bed.clock.advance(16_000);
  bed.state.isThere = false;
  reports.set("b", behind);
  await bed.clock.advance(2000);
  expect(bed.writes.map(([changed]) => changed)).toEqual([["a", "b"], ["b"], ["a", "b"]]);
  await bed.stop();
});
