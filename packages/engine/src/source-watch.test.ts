import type { SourceRef } from "@fleet-reloader/domain/source";
import { describe, expect, test } from "vitest";
import { createTestBed } from "./fixture/test-bed.ts";
import type { SourceVersion } from "./reference-index.ts";
import type { Settings } from "./settings.ts";
import { createSourceWatch } from "./source-watch.ts";

const entryOf = (name: string, sources: readonly string[], window = {}) => ({
  workload: { kind: "Deployment", namespace: "ns", name },
  sources,
  patterns: [],
  scope: "",
  window,
});

async function watched(own: Partial<Settings> = {}) {
  const calls: string[] = [];
  let failing = "";
  let during = { call: "", act: () => undefined as unknown };
  const before = (call: string) => {
    calls.push(call);
    if (call === during.call) {
      during.call = "";
      during.act();
    }
    if (call !== failing) return;
    failing = "";
    throw new Error(`${call} failed`);
  };
  const settings = {
    ...own,
    debounce: { quietPeriodMs: 2000, maxWaitMs: 30_000 },
  };
  const bed = createTestBed({ settings, beforeIndex: before, beforeQueue: before });
  await bed.index.open();
  await bed.index.put([
    entryOf("api", ["ConfigMap/ns/app", "ConfigMap/ns/db"]),
    entryOf("web", ["ConfigMap/ns/app"], { quietPeriodMs: 60_000 }),
  ]);
  calls.length = 0;
  const stopping = new AbortController();
  const watch = createSourceWatch({
    ...bed,
    cluster: "c1",
    signal: stopping.signal,
    name: "c1",
    kind: "ConfigMap",
    namespace: undefined,
    isListed: () => true,
    onListed: () => undefined,
    onState: () => undefined,
  });
  const versionOf = (ref: SourceRef) => {
    const source = bed.cluster.source(ref);
    if (source === undefined) throw new Error(`${ref.name} is gone`);
    return { ref, resourceVersion: source.resourceVersion };
  };
  return {
    ...bed,
    watch,
    stop: () => stopping.abort(),
    changed: (source: SourceVersion) => watch.events([{ type: "upsert", object: source }]),
    calls,
    versionOf,
    fail: (call: string) => {
      failing = call;
    },
    /** Something happens while this is being asked. */
    while: (call: string, act: () => unknown) => {
      during = { call, act };
    },
    set: (name: string) => versionOf(bed.cluster.setSource("ConfigMap", name, { a: "1" })),
    asked: () => bed.queue.additions.splice(0).map(({ request }) => request.workload.name),
  };
}

describe("a source with another version than the one handled last", () => {
  test.each(["page", "event"] as const)(
    "shown by a %s asks for each workload that uses it, once",
    async (how) => {
      const { watch, set, queue, meter } = await watched();
      const sources = [set("app"), set("db")];
      if (how === "page") await watch.page(sources);
      else await watch.events(sources.map((object) => ({ type: "upsert", object })));
      expect(queue.additions).toEqual([
        {
          request: { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "api" } },
          quietPeriodMs: 2000,
          maxWaitMs: 30_000,
          purpose: "change",
        },
        {
          request: { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "web" } },
          quietPeriodMs: 60_000,
          maxWaitMs: 60_000,
          purpose: "change",
        },
      ]);
      expect(meter.count("published c1")).toBe(2);
    },
  );

  test("asks for nothing when it is shown again, nor when it is listed", async () => {
    const { watch, set, asked } = await watched();
    const app = set("app");
    await watch.page([app]);
    asked();
    await watch.events([{ type: "upsert", object: app }]);
    await watch.page([app]);
    expect(asked()).toEqual([]);
  });

  test("that nobody uses asks for nothing and is not written down", async () => {
    const { watch, set, calls, index } = await watched();
    const other = set("other");
    await watch.page([other]);
    expect(calls).toEqual(["findChanged"]);
    expect(index.handled(other.ref)).toBeUndefined();
  });

  test("and is deleted asks for nothing; made again it counts as new", async () => {
    const { watch, set, asked, cluster, versionOf } = await watched();
    const app = set("app");
    await watch.page([app]);
    asked();
    await watch.events([{ type: "delete", object: app }]);
    expect(asked()).toEqual([]);
    cluster.deleteSource(app.ref);
    await watch.events([
      { type: "upsert", object: versionOf(cluster.setSource("ConfigMap", "app", { a: "1" })) },
    ]);
    expect(asked()).toEqual(["api", "web"]);
  });

  test("several times in one batch counts as it was last", async () => {
    const { watch, set, index, asked } = await watched();
    const [first, last] = [set("app"), set("app")];
    await watch.events([
      { type: "upsert", object: first },
      { type: "delete", object: first },
      { type: "upsert", object: last },
    ]);
    expect(asked()).toEqual(["api", "web"]);
    expect(index.handled(last.ref)).toBe(last.resourceVersion);
  });
});

describe("a source that changes again and again", () => {
  test("is told of at once, then twice a second, and at the end with its latest version", async () => {
    const { watch, set, changed, asked, index, calls, clock, meter } = await watched();
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

  test("and once more after its rest, before that is told of, is told of once, as it is then", async () => {
    const { set, changed, asked, index, clock } = await watched();
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

  test("and is told of later asks for a whole quiet period: another source of its dependents may have changed since", async () => {
    const { set, changed, queue, clock } = await watched();
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
    const { set, changed, asked, index, clock } = await watched();
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

  test("that nobody uses is asked about twice a second, and whoever uses it meanwhile hears of it", async () => {
    const { set, changed, asked, index, calls, clock } = await watched();
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
      const { set, changed, fail, asked, index, clock } = await watched();
      await changed(set("app"));
      const last = set("app");
      await changed(last);
      asked();
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
    const { watch, set, changed, asked, index, clock } = await watched();
    await changed(set("app"));
    const last = set("app");
    await changed(last);
    await watch.events([{ type: "delete", object: last }]);
    asked();
    await clock.advance(5000);
    expect(asked()).toEqual([]);
    expect(index.handled(last.ref)).toBeUndefined();
  });

  test("and is listed meanwhile is told of by the list, and what was kept back is not told of after it", async () => {
    const { watch, set, changed, asked, index, clock } = await watched();
    await changed(set("app"));
    await changed(set("app"));
    const last = set("app");
    asked();
    await watch.page([last]);
    expect(asked()).toEqual(["api", "web"]);
    await clock.advance(5000);
    expect(asked()).toEqual([]);
    expect(index.handled(last.ref)).toBe(last.resourceVersion);
  });

  test.each(["add", "markHandled"])(
    "and once more while it is told of (%s) is told of afterwards",
    async (call) => {
      const { set, changed, asked, index, clock, ...world } = await watched();
      await changed(set("app"));
      await changed(set("app"));
      asked();
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
    const { watch, stop, set, changed, asked, clock } = await watched();
    await changed(set("app"));
    await changed(set("app"));
    asked();
    stop();
    await watch.ended();
    await clock.advance(5000);
    expect(asked()).toEqual([]);
  });
});

describe("where deletions are changes, a source", () => {
  const onDelete = { reloadOnDelete: true };

  test("that is deleted asks for the workloads that use it, once", async () => {
    const { watch, set, asked, index } = await watched(onDelete);
    const app = set("app");
    await watch.page([app]);
    asked();
    await watch.events([{ type: "delete", object: app }]);
    expect(asked()).toEqual(["api", "web"]);
    expect(index.handled(app.ref)).toBeUndefined();
    await watch.events([{ type: "delete", object: set("unused") }]);
    expect(asked()).toEqual([]);
  });

  test("that was deleted unseen is missed by a complete list, once", async () => {
    const { watch, set, asked } = await watched(onDelete);
    const [app, db] = [set("app"), set("db")];
    await watch.page([app, db]);
    await watch.listed();
    asked();
    for (const expected of [["api", "web"], []]) {
      watch.listBegins();
      await watch.page([db]);
      await watch.listed();
      expect(asked()).toEqual(expected);
    }
  });

  test("is missed also by a list without a single object, and not by one that was cut short", async () => {
    const { watch, set, asked } = await watched(onDelete);
    await watch.page([set("app")]);
    await watch.listed();
    asked();
    watch.listBegins();
    await watch.page([]);
    watch.listBegins();
    expect(asked()).toEqual([]);
    await watch.listed();
    expect(asked()).toEqual(["api", "web"]);
  });

  test("that could not be published is missed again", async () => {
    const { watch, set, asked, fail } = await watched(onDelete);
    await watch.page([set("app")]);
    await watch.listed();
    asked();
    watch.listBegins();
    fail("add");
    await expect(watch.listed()).rejects.toThrow("failed");
    asked();
    watch.listBegins();
    await watch.listed();
    expect(asked()).toEqual(["api", "web"]);
  });
});

describe("the version of a source counts as handled", () => {
  test("only after the queue holds what had to be done for it", async () => {
    const { watch, set, calls } = await watched();
    await watch.page([set("app")]);
    expect(calls).toEqual(["findChanged", "add", "markHandled"]);
  });

  // A crash or failure in between means the same again, never nothing (P1, P2).
  test.each(["findChanged", "add", "markHandled"])(
    "not when %s failed: the same is published again",
    async (call) => {
      const { watch, set, fail, asked, index } = await watched();
      const app = set("app");
      fail(call);
      await expect(watch.page([app])).rejects.toThrow("failed");
      expect(index.handled(app.ref)).toBeUndefined();
      asked();
      await watch.page([app]);
      expect(asked()).toEqual(["api", "web"]);
      expect(index.handled(app.ref)).toBe(app.resourceVersion);
    },
  );

  test("not when its last one could not be forgotten", async () => {
    const { watch, set, fail, index } = await watched();
    const app = set("app");
    await watch.page([app]);
    fail("forget");
    await expect(watch.events([{ type: "delete", object: app }])).rejects.toThrow("failed");
    await watch.events([{ type: "delete", object: app }]);
    expect(index.handled(app.ref)).toBeUndefined();
  });
});
