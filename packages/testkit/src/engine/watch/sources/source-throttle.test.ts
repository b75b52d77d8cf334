import { SourceThrottle } from "@fleet-reloader/engine/watch/sources/source-throttle";
import { describe, expect, test } from "vitest";
import { entryOf, watchedSources } from "../../../beds/watched-sources.ts";
import { CollectedLog } from "../../../memory/collected-log.ts";
import { ManualClock } from "../../../memory/manual-clock.ts";

/** A source was published and has changed once more since; that change is kept back. */
async function keptBack() {
  const world = await watchedSources();
  await world.changed(world.set("app"));
  const last = world.set("app");
  await world.changed(last);
  world.asked();
  return { ...world, last };
}

// The throttles of a whole fleet would use hundreds of megabytes.
test("throttles that have ended are removed from memory", async () => {
  const clock = new ManualClock();
  const throttled = new SourceThrottle({
    clock,
    log: new CollectedLog(),
    signal: new AbortController().signal,
    publish: async () => undefined,
  });
  for (let time = 0; time < 100; time += 1) {
    throttled.throttle({ kind: "ConfigMap", namespace: "ns", name: `app-${time}` }, 500);
    await clock.advance(100);
  }
  expect(throttled.throttled).toBe(5);
  await clock.advance(1000);
  throttled.throttle({ kind: "ConfigMap", namespace: "ns", name: "app-0" }, 0);
  expect(throttled.throttled).toBe(0);
});

describe("a source that changes again and again", () => {
  test("is published at once, then twice a second, and finally in its latest version", async () => {
    const { watch, set, changed, asked, index, calls, clock, meter } = await watchedSources();
    for (let time = 0; time < 20; time += 1) {
      await changed(set("app"));
      await clock.advance(100);
    }
    expect(meter.count("published c1")).toBe(2 * 5);
    const last = set("app");
    await changed(last);
    asked();
    calls.length = 0;
    await clock.advance(600);
    expect(asked()).toEqual(["api", "web"]);
    expect(calls).toEqual(["findChanged", "add", "markHandled"]);
    expect(index.handled(last.ref)).toBe(last.resourceVersion);
    expect(meter.count("compared c1 ConfigMap")).toBe(21);
    await watch.events([{ type: "upsert", object: last }]);
    await clock.advance(5000);
    expect(asked()).toEqual([]);
  });

  test("and again after its throttle, before the publish, is published once, the latest", async () => {
    const { set, changed, asked, index, clock } = await watchedSources();
    await changed(set("app"));
    await clock.advance(150);
    await changed(set("app"));
    await clock.advance(360);
    asked();
    const last = set("app");
    await changed(last);
    expect(asked()).toEqual([]);
    await clock.advance(1000);
    expect(asked()).toEqual(["api", "web"]);
    expect(index.handled(last.ref)).toBe(last.resourceVersion);
  });

  // Another source of its dependents may have changed since.
  test("and is published late waits for a whole quiet period", async () => {
    const { set, changed, queue, clock } = await watchedSources();
    await changed(set("app"));
    await clock.advance(100);
    await changed(set("app"));
    await changed(set("db"));
    queue.additions.length = 0;
    await clock.advance(600);
    expect(
      queue.additions.map(({ request, quietPeriodMs }) => [request.workload.name, quietPeriodMs]),
    ).toEqual([
      ["api", 2000],
      ["web", 60_000],
    ]);
  });

  test("rests no longer than a quarter of what its quickest dependent waits", async () => {
    const { set, changed, asked, index, clock } = await watchedSources();
    await index.put([entryOf("quick", ["ConfigMap/ns/app"], { quietPeriodMs: 400 })]);
    await changed(set("app"));
    asked();
    await clock.advance(99);
    await changed(set("app"));
    expect(asked()).toEqual([]);
    await clock.advance(100);
    expect(asked()).toContain("quick");
    await index.put([entryOf("quick", ["ConfigMap/ns/app"], { quietPeriodMs: 0 })]);
    await clock.advance(1000);
    for (let time = 0; time < 3; time += 1) {
      await changed(set("app"));
      expect(asked()).toContain("quick");
    }
  });

  test("that nobody uses is compared twice a second, and a new dependent is found", async () => {
    const { set, changed, asked, index, calls, clock } = await watchedSources();
    await changed(set("lease"));
    calls.length = 0;
    await index.put([entryOf("new", ["ConfigMap/ns/lease"])]);
    for (let time = 0; time < 9; time += 1) await changed(set("lease"));
    await clock.advance(600);
    expect(asked()).toEqual(["new"]);
    expect(calls.filter((call) => call === "findChanged").length).toBe(1);
  });

  test.each(["findChanged", "add", "markHandled"])(
    "and could not be told of when %s failed is told of again",
    async (call) => {
      const { last, fail, asked, index, clock } = await keptBack();
      fail(call);
      await clock.advance(600);
      expect(index.handled(last.ref)).not.toBe(last.resourceVersion);
      asked();
      await clock.advance(1000);
      expect(asked()).toEqual(["api", "web"]);
      expect(index.handled(last.ref)).toBe(last.resourceVersion);
    },
  );

  test("and is deleted is not told of later", async () => {
    const { watch, last, asked, index, clock } = await keptBack();
    await watch.events([{ type: "delete", object: last }]);
    expect(asked()).toEqual(["api", "web"]);
    await clock.advance(5000);
    expect(asked()).toEqual([]);
    expect(index.handled(last.ref)).toBeUndefined();
  });

  test("and is listed meanwhile is published by the list and not again after it", async () => {
    const { watch, set, asked, index, clock } = await keptBack();
    const last = set("app");
    await watch.page([last]);
    expect(asked()).toEqual(["api", "web"]);
    await clock.advance(5000);
    expect(asked()).toEqual([]);
    expect(index.handled(last.ref)).toBe(last.resourceVersion);
  });

  test.each(["add", "markHandled"])(
    "and once more while it is told of (%s) is told of afterwards",
    async (call) => {
      const { set, changed, asked, index, clock, ...world } = await keptBack();
      const last = set("app");
      world.while(call, () => changed(last));
      await clock.advance(600);
      expect(asked()).toEqual(["api", "web"]);
      expect(index.handled(last.ref)).not.toBe(last.resourceVersion);
      await clock.advance(600);
      expect(asked()).toEqual(["api", "web"]);
      expect(index.handled(last.ref)).toBe(last.resourceVersion);
    },
  );

  test("is told of no more once the watch has ended", async () => {
    const { watch, stop, asked, clock } = await keptBack();
    stop();
    await watch.ended();
    await clock.advance(5000);
    expect(asked()).toEqual([]);
  });
});
