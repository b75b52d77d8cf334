import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { type LabelSelector, parseLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import { ClusterWatcher } from "@fleet-reloader/engine/watch/cluster-watcher";
import { describe, expect, test } from "vitest";
import { scope, serving } from "../../beds/served-namespaces.ts";
import { auto, createTestBed } from "../../beds/test-bed.ts";

function selecting(text: string): LabelSelector {
  const selector = parseLabelSelector(text);
  if ("problem" in selector) throw new Error(selector.problem);
  return selector;
}

describe("several namespaces", () => {
  test("are served each by streams of its own, and no other is", async () => {
    await using bed = await serving({ a: {}, b: {}, c: {} }, scope({ namespaces: ["a", "b"] }));
    expect(bed.watcher.isInSync).toBe(true);
    expect(bed.watcher.statuses).toHaveLength(10);
    expect(bed.watcher.statuses.map(({ resource }) => resource)).toContain("Secret in b");
    for (const namespace of ["a", "b", "c"]) bed.set(namespace, "2");
    await bed.elapse(200);
    expect([bed.rolls("a"), bed.rolls("b"), bed.rolls("c")]).toEqual([1, 1, 0]);
    expect(bed.isNoted("c")).toBe(false);
    // A list of one forgets nothing of another.
    bed.cluster.cutWatches();
    await bed.elapse(200);
    expect(bed.index.workloads).toEqual(["Deployment/a/api", "Deployment/b/api"]);
  });

  test("of which one is served no more: its workloads are forgotten at the start", async () => {
    await using bed = await serving({ a: {}, b: {} }, scope({ namespaces: ["a", "b"] }));
    expect(bed.index.workloads).toEqual(["Deployment/a/api", "Deployment/b/api"]);
    await bed.end();
    const settings = { ...bed.settings, ...scope({ namespaces: ["a"] }) };
    const next = new ClusterWatcher({ ...bed, settings, cluster: "c1", name: "c1", streams: bed.cluster });
    const lifetime = new AbortController();
    const running = next.run(lifetime.signal);
    await bed.clock.advance(0);
    expect(bed.index.workloads).toEqual(["Deployment/a/api"]);
    lifetime.abort();
    await running;
  });

  test("that are ignored are left out of all", async () => {
    await using bed = await serving({ a: {}, b: {} }, scope({ ignoredNamespaces: ["b"] }));
    for (const namespace of ["a", "b"]) bed.set(namespace, "2");
    await bed.elapse(200);
    expect([bed.rolls("a"), bed.rolls("b")]).toEqual([1, 0]);
    expect(bed.index.workloads).toEqual(["Deployment/a/api"]);
  });
});

describe("a namespace selector", () => {
  const selected = scope({ namespaceSelector: selecting("team=web") });
  const web = { team: "web" };

  test("serves what matches; a namespace that begins to match is caught up with", async () => {
    await using bed = await serving({ a: web, b: {} }, selected);
    expect(bed.watcher.isInSync).toBe(true);
    expect(bed.watcher.statuses.map(({ resource }) => resource)).toContain("Namespace");
    for (const namespace of ["a", "b"]) bed.set(namespace, "2");
    await bed.elapse(200);
    expect([bed.rolls("a"), bed.rolls("b")]).toEqual([1, 0]);
    bed.cluster.setNamespace("b", web);
    await bed.elapse(200);
    expect(bed.isNoted("b")).toBe(true);
    expect(bed.rolls("b")).toBe(0);
    bed.set("b", "3");
    await bed.elapse(200);
    expect(bed.rolls("b")).toBe(1);
  });

  test("serves a namespace that is made later with what is in it", async () => {
    await using bed = await serving({ a: web }, selected);
    bed.make("new", web);
    await bed.elapse(200);
    bed.set("new", "2");
    await bed.elapse(200);
    expect(bed.rolls("new")).toBe(1);
  });

  test("lets go of what ceases to match; its gap counts when it matches again", async () => {
    await using bed = await serving({ a: web }, selected);
    bed.cluster.setNamespace("a", {});
    await bed.elapse(200);
    expect(bed.index.workloads).toEqual([]);
    bed.set("a", "2");
    await bed.elapse(200);
    expect([bed.rolls("a"), bed.isNoted("a")]).toEqual([0, true]);
    bed.cluster.setNamespace("a", web);
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(1);
  });

  // The queue may hold requests of a namespace that was let go meanwhile, and the worker is another process.
  test("is asked again when a request is due", async () => {
    const waiting = { debounce: { quietPeriodMs: 5000, maxWaitMs: 5000 } };
    await using bed = await serving({ a: web }, { ...selected, ...waiting });
    bed.set("a", "2");
    await bed.elapse(1000);
    bed.cluster.setNamespace("a", {});
    await bed.elapse(10_000);
    expect(bed.rolls("a")).toBe(0);
    bed.cluster.setNamespace("a", web);
    await bed.elapse(10_000);
    expect(bed.rolls("a")).toBe(1);
  });

  // Else a Deployment that was paused for a change would stay so for ever.
  test("does not keep a pause from ending, and nothing rolls with it", async () => {
    await using bed = await serving({ a: web }, selected);
    bed.cluster.namespace = "a";
    const pause = { "deployment.reloader.stakater.com/pause-period": "10s" };
    const api = bed.cluster.setWorkload("api", { annotations: pause });
    await bed.elapse(200);
    bed.set("a", "2");
    await bed.elapse(200);
    expect(bed.cluster.workload(api)?.isPaused).toBe(true);
    bed.cluster.setNamespace("a", {});
    bed.set("a", "3");
    await bed.elapse(15_000);
    expect(bed.cluster.workload(api)?.isPaused).toBe(false);
    expect(bed.rolls("a")).toBe(1);
  });

  test("is asked with one read for all who decide at once, and not where there is none", async () => {
    const count = (bed: { readonly cluster: { readonly calls: readonly { readonly target: string }[] } }) =>
      bed.cluster.calls.filter(({ target }) => target.startsWith("Namespace/")).length;
    await using without = await serving({ a: web }, {});
    expect(count(without)).toBe(0);
    await using bed = await serving({ a: web }, selected);
    bed.cluster.namespace = "a";
    for (let at = 0; at < 20; at += 1)
      bed.cluster.setWorkload(`w${at}`, { template: templateUsing({ app: {} }), annotations: auto });
    await bed.elapse(200);
    const before = count(bed);
    bed.set("a", "2");
    await bed.elapse(200);
    expect(bed.cluster.rolls()).toHaveLength(21);
    expect(count(bed) - before).toBeLessThan(10);
  });

  test("waits with everything until it is known what matches", async () => {
    const bed = createTestBed({ settings: selected });
    const started: string[] = [];
    const watcher = new ClusterWatcher({
      ...bed,
      ...{ cluster: "c1", name: "c1" },
      streams: {
        workloads: (kind, handler, namespace) => {
          started.push(kind.kind);
          return bed.cluster.workloads(kind, handler, namespace);
        },
        sources: (kind, handler, namespace) => bed.cluster.sources(kind, handler, namespace),
        namespaces: () => ({ run: async (_, onState) => onState("blocked", "forbidden") }),
        serverSeconds: () => undefined,
      },
    });
    const lifetime = new AbortController();
    const running = watcher.run(lifetime.signal);
    await bed.clock.advance(5000);
    expect(started).toEqual([]);
    expect(watcher.isInSync).toBe(false);
    lifetime.abort();
    await bed.clock.advance(5000);
    await running;
  });
});
