import { describe, expect, test } from "vitest";
import { watchedSources } from "../../../beds/watched-sources.ts";

describe("a source that was never handled", () => {
  const purposes = (queue: { readonly additions: readonly { readonly purpose: string }[] }) =>
    queue.additions.map(({ purpose }) => purpose);

  test("and is created or first listed has its workloads reconciled at once", async () => {
    const { watch, set, queue } = await watchedSources();
    await watch.events([{ type: "upsert", object: set("app"), isNew: true }]);
    const atOnce = { quietPeriodMs: 0, purpose: "adoption" };
    expect(queue.additions).toMatchObject([atOnce, atOnce]);
    await watch.page([set("db")]);
    expect(purposes(queue)).toEqual(["adoption", "adoption", "adoption"]);
  });

  test("and changes is a change: it was there before somebody came to use it", async () => {
    const { watch, set, queue } = await watchedSources();
    await watch.events([{ type: "upsert", object: set("app") }]);
    expect(purposes(queue)).toEqual(["change", "change"]);
  });

  test("leaves a change of another source its precedence", async () => {
    const { watch, index, set, queue } = await watchedSources();
    await index.put([
      {
        workload: { kind: "Deployment", namespace: "ns", name: "api" },
        sources: ["ConfigMap/ns/app", "ConfigMap/ns/db"],
        patterns: [],
        scope: "",
        window: {},
      },
    ]);
    await watch.events([
      { type: "upsert", object: set("app") },
      { type: "upsert", object: set("db"), isNew: true },
    ]);
    const api = queue.additions.filter(({ request }) => request.workload.name === "api");
    expect(api.map(({ purpose }) => purpose)).toEqual(["change"]);
  });
});

describe("a source with another version than the one handled last", () => {
  test.each(["page", "event"] as const)(
    "shown by a %s asks for each workload that uses it, once",
    async (how) => {
      const { watch, index, set, queue, meter } = await watchedSources();
      for (const name of ["app", "db"]) await index.markHandled([set(name)]);
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
    const { watch, set, asked } = await watchedSources();
    const app = set("app");
    await watch.page([app]);
    asked();
    await watch.events([{ type: "upsert", object: app }]);
    await watch.page([app]);
    expect(asked()).toEqual([]);
  });

  test("that nobody uses asks for nothing and is not written down", async () => {
    const { watch, set, calls, index } = await watchedSources();
    const other = set("other");
    await watch.page([other]);
    expect(calls).toEqual(["findChanged"]);
    expect(index.handled(other.ref)).toBeUndefined();
  });

  // Pods that start without it, where it is optional, have to be known when it comes back.
  test("and is deleted asks for those that use it; made again it counts as new", async () => {
    const { watch, set, asked, cluster, versionOf } = await watchedSources();
    const app = set("app");
    await watch.page([app]);
    asked();
    await watch.events([{ type: "delete", object: app }]);
    expect(asked()).toEqual(["api", "web"]);
    cluster.deleteSource(app.ref);
    await watch.events([
      { type: "upsert", object: versionOf(cluster.setSource("ConfigMap", "app", { a: "1" })) },
    ]);
    expect(asked()).toEqual(["api", "web"]);
  });

  test("several times in one batch counts as it was last", async () => {
    const { watch, set, index, asked } = await watchedSources();
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

describe("where deletions are changes, a source", () => {
  const onDelete = { reloadOnDelete: true };

  test("that is deleted asks for the workloads that use it, once", async () => {
    const { watch, set, asked, index } = await watchedSources(onDelete);
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
    const { watch, set, asked } = await watchedSources(onDelete);
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

  test("is missed by an empty list too, and not by an interrupted one", async () => {
    const { watch, set, asked } = await watchedSources(onDelete);
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
    const { watch, set, asked, fail } = await watchedSources(onDelete);
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
    const { watch, set, calls } = await watchedSources();
    await watch.page([set("app")]);
    expect(calls).toEqual(["findChanged", "add", "markHandled"]);
  });

  // A crash or failure in between means the same again, never nothing (P1, P2).
  test.each(["findChanged", "add", "markHandled"])(
    "not when %s failed: the same is published again",
    async (call) => {
      const { watch, set, fail, asked, index } = await watchedSources();
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
    const { watch, set, fail, index } = await watchedSources();
    const app = set("app");
    await watch.page([app]);
    fail("forget");
    await expect(watch.events([{ type: "delete", object: app }])).rejects.toThrow("failed");
    await watch.events([{ type: "delete", object: app }]);
    expect(index.handled(app.ref)).toBeUndefined();
  });
});

test("sources are counted by how they came: listed, created, changed or deleted", async () => {
  const { watch, set, meter } = await watchedSources();
  await watch.page([set("app")]);
  await watch.events([
    { type: "upsert", object: set("app") },
    { type: "upsert", object: set("db"), isNew: true },
  ]);
  await watch.events([{ type: "delete", object: set("db") }]);
  const counted = ["listed", "created", "changed", "deleted"].map((how) =>
    meter.count(`${how} c1 ConfigMap`),
  );
  expect(counted).toEqual([1, 1, 1, 1]);
});
