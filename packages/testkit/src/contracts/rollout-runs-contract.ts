import type { RolloutRun, RolloutRuns } from "@fleet-reloader/engine/follow/rollout-runs";
import { expect, test } from "vitest";
import { requestFor } from "./queue-under-test.ts";

const source = { kind: "Secret", namespace: "ns", name: "db" } as const;
const run = (rolledAtMs: number): RolloutRun => ({
  rolledAtMs,
  sources: [{ ...source, change: "c1/Secret/ns/db@7", reason: "SourceChanged" }],
});
const [api, web] = [requestFor("api"), requestFor("web")];

/** What everybody promises who keeps the rollouts that are followed. `start` makes an empty one. */
export function rolloutRunsContract(
  start: () => Promise<{ readonly runs: RolloutRuns } & AsyncDisposable>,
): void {
  test("a run is found by whoever looks, as it was started", async () => {
    await using bed = await start();
    await bed.runs.start([
      { request: api, run: run(1) },
      { request: web, run: run(2) },
    ]);
    expect(await bed.runs.find(api)).toEqual(run(1));
    expect(await bed.runs.find(web)).toEqual(run(2));
    expect(await bed.runs.find({ ...api, cluster: "c2" })).toBeUndefined();
  });

  test("none are started, and none is found", async () => {
    await using bed = await start();
    await bed.runs.start([]);
    expect(await bed.runs.find(api)).toBeUndefined();
  });

  test("a run that has ended is gone, and a repeat ends it too", async () => {
    await using bed = await start();
    await bed.runs.start([{ request: api, run: run(1) }]);
    expect(await bed.runs.end([{ request: api, run: run(1) }])).toEqual([true]);
    expect(await bed.runs.find(api)).toBeUndefined();
    expect(await bed.runs.end([{ request: api, run: run(1) }])).toEqual([true]);
  });

  test("a newer run takes the place of the one before, which cannot end it", async () => {
    await using bed = await start();
    await bed.runs.start([{ request: api, run: run(1) }]);
    await bed.runs.start([{ request: api, run: run(2) }]);
    expect(await bed.runs.end([{ request: api, run: run(1) }])).toEqual([false]);
    expect(await bed.runs.find(api)).toEqual(run(2));
  });

  test("runs that are left are due in their cluster at their time, the oldest first", async () => {
    await using bed = await start();
    const elsewhere = { ...api, cluster: "c2" };
    await bed.runs.start([api, web, elsewhere].map((request) => ({ request, run: run(1) })));
    expect(await bed.runs.due(api.cluster, 1000)).toEqual([]);
    const left = [api, elsewhere, web].map((request) => ({ request, run: run(1), lookAtMs: 100 }));
    const other = { request: web, run: run(2), lookAtMs: 50 };
    expect(await bed.runs.leave([...left, other])).toEqual([true, true, true, false]);
    expect(await bed.runs.leave([{ request: api, run: run(1), lookAtMs: 200 }])).toEqual([true]);
    expect(await bed.runs.due(api.cluster, 99)).toEqual([]);
    expect(await bed.runs.due(api.cluster, 100)).toEqual([{ request: web, run: run(1) }]);
    expect((await bed.runs.due(api.cluster, 200)).map(({ request }) => request)).toEqual([web, api]);
    expect(await bed.runs.leave([{ request: web, run: run(1), lookAtMs: 300 }])).toEqual([true]);
    expect(await bed.runs.due(api.cluster, 200)).toEqual([{ request: api, run: run(1) }]);
  });

  test("runs end together, each by itself and in its cluster", async () => {
    await using bed = await start();
    const elsewhere = { ...api, cluster: "c2" };
    await bed.runs.start([api, web, elsewhere].map((request) => ({ request, run: run(2), lookAtMs: 1 })));
    const ended = [elsewhere, web, api].map((request) => ({ request, run: run(request === web ? 1 : 2) }));
    expect(await bed.runs.end(ended)).toEqual([true, false, true]);
    expect(await bed.runs.find(api)).toBeUndefined();
    expect(await bed.runs.find(web)).toEqual(run(2));
    expect(await bed.runs.due(api.cluster, 1)).toEqual([{ request: web, run: run(2) }]);
    expect(await bed.runs.due(elsewhere.cluster, 1)).toEqual([]);
    expect(await bed.runs.end([])).toEqual([]);
  });

  test("a run may be left from its beginning", async () => {
    await using bed = await start();
    await bed.runs.start([
      { request: api, run: run(1), lookAtMs: 100 },
      { request: web, run: run(1) },
    ]);
    expect(await bed.runs.due(api.cluster, 99)).toEqual([]);
    expect(await bed.runs.due(api.cluster, 1000)).toEqual([{ request: api, run: run(1) }]);
  });

  test("a run that has ended is due no more, and cannot be left", async () => {
    await using bed = await start();
    await bed.runs.start([{ request: api, run: run(1) }]);
    await bed.runs.leave([{ request: api, run: run(1), lookAtMs: 100 }]);
    await bed.runs.end([{ request: api, run: run(1) }]);
    expect(await bed.runs.due(api.cluster, 1000)).toEqual([]);
    expect(await bed.runs.leave([{ request: api, run: run(1), lookAtMs: 100 }])).toEqual([false]);
    expect(await bed.runs.due(api.cluster, 1000)).toEqual([]);
  });

  test("a run that ends may keep another in its place, which is left", async () => {
    await using bed = await start();
    await bed.runs.start([{ request: api, run: run(1), lookAtMs: 50 }]);
    const bad = { ...run(1), badEnd: { uid: "u1", atMs: 9 } };
    const kept = { run: bad, lookAtMs: 100 };
    expect(await bed.runs.end([{ request: api, run: run(2), kept }])).toEqual([false]);
    expect(await bed.runs.end([{ request: api, run: run(1), kept }])).toEqual([true]);
    expect(await bed.runs.find(api)).toEqual(bad);
    expect(await bed.runs.due(api.cluster, 99)).toEqual([]);
    expect(await bed.runs.due(api.cluster, 100)).toEqual([{ request: api, run: bad }]);
    expect(await bed.runs.end([{ request: api, run: run(1) }])).toEqual([false]);
    expect(await bed.runs.leave([{ request: api, run: bad, lookAtMs: 200 }])).toEqual([true]);
    expect(await bed.runs.end([{ request: api, run: bad }])).toEqual([true]);
    expect(await bed.runs.find(api)).toBeUndefined();
    expect(await bed.runs.due(api.cluster, 1000)).toEqual([]);
  });

  test("nothing is kept of a run that was lost", async () => {
    await using bed = await start();
    const kept = { run: { ...run(1), badEnd: { uid: "u1", atMs: 9 } }, lookAtMs: 100 };
    expect(await bed.runs.end([{ request: api, run: run(1), kept }])).toEqual([true]);
    expect(await bed.runs.find(api)).toBeUndefined();
    expect(await bed.runs.due(api.cluster, 1000)).toEqual([]);
  });

  test("a run that a newer one has replaced cannot be left", async () => {
    await using bed = await start();
    await bed.runs.start([{ request: api, run: run(1) }]);
    await bed.runs.start([{ request: api, run: run(2) }]);
    expect(await bed.runs.leave([{ request: api, run: run(1), lookAtMs: 100 }])).toEqual([false]);
    expect(await bed.runs.due(api.cluster, 1000)).toEqual([]);
  });
}
