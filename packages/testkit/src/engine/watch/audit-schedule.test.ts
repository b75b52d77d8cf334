import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { Addition } from "@fleet-reloader/engine/ports/workqueue";
import { AuditSchedule } from "@fleet-reloader/engine/watch/audit-schedule";
import { ClusterWatcher } from "@fleet-reloader/engine/watch/cluster-watcher";
import { describe, expect, test } from "vitest";
import { auto, createTestBed, stateAnnotation } from "../../beds/test-bed.ts";
import { noted, watchedWorkloads } from "../../beds/watched-workloads.ts";
import { CollectedLog } from "../../memory/collected-log.ts";
import { ManualClock } from "../../memory/manual-clock.ts";

const minute = 60_000;
const hour = 60 * minute;
const names = Array.from({ length: 1200 }, (_, i) => `app-${i}`);

function scheduled(options: { readonly clock?: ManualClock; readonly intervalMs?: number } = {}) {
  const { clock = new ManualClock(), intervalMs = 2 * hour } = options;
  const additions: Addition[] = [];
  let isDown = false;
  const schedule = new AuditSchedule({
    ...{ cluster: "c1", clock, intervalMs, log: new CollectedLog() },
    audited: () => names.map((name) => `Deployment/ns/${name}`),
    queue: {
      async add(more) {
        if (isDown) throw new Error("Redis is down");
        additions.push(...more);
      },
    },
  });
  const lifetime = new AbortController();
  const running = schedule.run(lifetime.signal);
  return {
    clock,
    /** Names asked for since the last look. */
    asked: () => additions.splice(0).map(({ request }) => request.workload.name),
    additions,
    setDown: (down: boolean) => {
      isDown = down;
    },
    end: (): Promise<void> => {
      lifetime.abort();
      return running;
    },
  };
}

describe("audits", () => {
  test("request every workload exactly once in the interval, some in each minute", async () => {
    const bed = scheduled();
    const counts: number[] = [];
    const all: string[] = [];
    for (let passed = 0; passed < 120; passed += 1) {
      await bed.clock.advance(minute);
      const some = bed.asked();
      counts.push(some.length);
      all.push(...some);
    }
    expect(all.toSorted()).toEqual(names.toSorted());
    expect(Math.max(...counts)).toBeLessThan(30);
    expect(counts.filter((count) => count === 0).length).toBeLessThan(3);
    await bed.end();
  });

  test("are looks after all others, at once, and beside changes", async () => {
    const bed = scheduled();
    await bed.clock.advance(2 * minute);
    expect(bed.additions[0]).toMatchObject({
      ...{ request: { cluster: "c1" }, quietPeriodMs: 0, maxWaitMs: 0, purpose: "audit" },
    });
    await bed.end();
  });

  test("go on with another watcher where the one before was", async () => {
    const clock = new ManualClock();
    const all: string[] = [];
    for (const part of [17.4, 50.2, 60]) {
      const bed = scheduled({ clock });
      await clock.advance(part * minute);
      all.push(...bed.asked());
      await bed.end();
    }
    expect(new Set(all).size).toBe(names.length);
    expect(all.length).toBeLessThan(names.length * 1.1);
  });

  test("that could not be asked for are made up for, and none comes twice", async () => {
    const bed = scheduled();
    await bed.clock.advance(minute);
    bed.setDown(true);
    await bed.clock.advance(30 * minute);
    bed.setDown(false);
    await bed.clock.advance(89 * minute);
    expect(bed.asked().toSorted()).toEqual(names.toSorted());
    await bed.end();
  });

  test("go on when somebody sets the clock back", async () => {
    const bed = scheduled();
    await bed.clock.advance(30 * minute);
    bed.clock.jump(-24 * hour);
    bed.asked();
    await bed.clock.advance(120 * minute);
    expect(new Set(bed.asked()).size).toBe(names.length);
    await bed.end();
  });

  test("of less than a minute ask for all each time", async () => {
    const bed = scheduled({ intervalMs: 10_000 });
    await bed.clock.advance(30_000);
    expect(bed.asked()).toHaveLength(3 * names.length);
    await bed.end();
    expect(bed.clock.sleeping).toBe(0);
  });

  test("cover a workload that opts out as long as its applied state is left", async () => {
    const bed = await watchedWorkloads();
    const api = bed.deployment("api", noted);
    await bed.upsert(api);
    await bed.upsert(bed.deployment("bystander", {}));
    expect([...bed.watch.audited()]).toEqual(["Deployment/ns/api"]);
    bed.cluster.setWorkload("api", { annotations: { "reloader.stakater.com/auto": null } });
    await bed.upsert(api);
    expect([...bed.watch.audited()]).toEqual(["Deployment/ns/api"]);
    bed.cluster.setWorkload("api", { annotations: { [stateAnnotation]: null } });
    await bed.upsert(api);
    expect([...bed.watch.audited()]).toEqual([]);
  });

  test("are for what opts in now, and only where they are asked for", async () => {
    for (const auditIntervalMs of [0, hour]) {
      const bed = createTestBed();
      bed.cluster.setSource("ConfigMap", "app", { a: "1" });
      const uses = templateUsing({ app: {} });
      for (const name of ["api", "later-out", "later-gone"])
        bed.cluster.setWorkload(name, { template: uses, annotations: auto });
      bed.cluster.setWorkload("bystander", { template: uses });
      const streams = { cluster: "c1", name: "c1", streams: bed.cluster, auditIntervalMs };
      const watcher = new ClusterWatcher({ ...bed, ...streams });
      const lifetime = new AbortController();
      const running = watcher.run(lifetime.signal);
      await bed.elapse(1000);
      bed.cluster.setWorkload("later-out", { annotations: { "reloader.stakater.com/auto": null } });
      bed.cluster.setWorkload("later-in", { template: uses, annotations: auto });
      bed.cluster.deleteWorkload({ kind: "Deployment", namespace: "ns", name: "later-gone" });
      await bed.elapse(1000);
      bed.queue.additions.splice(0);
      await bed.clock.advance(hour);
      const audits = bed.queue.additions.filter(({ purpose }) => purpose === "audit");
      const expected = auditIntervalMs === 0 ? [] : ["api", "later-in"];
      expect(audits.map(({ request }) => request.workload.name).toSorted()).toEqual(expected);
      lifetime.abort();
      await running;
    }
  });
});
