import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { type LabelSelector, parseLabelSelector } from "@fleet-reloader/domain/label-selector";
import type { WorkloadRef } from "@fleet-reloader/domain/workload";
import { describe, expect, test } from "vitest";
import { ClusterWatcher } from "./cluster-watcher.ts";
import { auto, createTestBed, type TestBedOptions } from "./fixture/test-bed.ts";
import { defaultSettings, type Scope, type Settings } from "./settings.ts";

/** The whole product over memory, with a Deployment `api` that reads the ConfigMap `app` in each of these namespaces. */
async function serving(
  namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>,
  settings: Partial<Settings>,
  options: Omit<TestBedOptions, "settings"> = {},
) {
  const bed = createTestBed({ ...options, settings });
  const { cluster } = bed;
  const make = (namespace: string, labels: Readonly<Record<string, string>>): WorkloadRef => {
    cluster.setNamespace(namespace, labels);
    cluster.namespace = namespace;
    cluster.setSource("ConfigMap", "app", { a: "1" });
    return cluster.setWorkload("api", { template: templateUsing({ app: {} }), annotations: auto });
  };
  for (const [namespace, labels] of Object.entries(namespaces)) make(namespace, labels);
  let lifetime = new AbortController();
  let running = Promise.resolve();
  const watcher = new ClusterWatcher({ ...bed, cluster: "c1", name: "c1", streams: cluster });
  const begin = () => {
    lifetime = new AbortController();
    running = watcher.run(lifetime.signal);
  };
  const end = async () => {
    lifetime.abort();
    await running;
  };
  begin();
  await bed.elapse(200);
  return {
    ...{ ...bed, watcher, make, begin, end },
    set(namespace: string, a: string, name = "app") {
      cluster.namespace = namespace;
      return cluster.setSource("ConfigMap", name, { a });
    },
    rolls: (namespace: string) => cluster.rolls({ kind: "Deployment", namespace, name: "api" }).length,
    isNoted: (namespace: string) =>
      Object.keys(cluster.workload({ kind: "Deployment", namespace, name: "api" })?.annotations ?? {}).some(
        (key) => key.startsWith("fleet-reloader.io/carried-"),
      ),
    [Symbol.asyncDispose]: end,
  };
}

const scope = (own: Partial<Scope>): Partial<Settings> => ({ scope: { ...defaultSettings.scope, ...own } });

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
        namespaces: (handler) => ({ run: async () => handler.stateChanged("blocked", "forbidden") }),
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

describe("kinds that are not served", () => {
  test("are neither listed nor read, and references to them do not count", async () => {
    await using bed = await serving({ a: {} }, { sourceKinds: ["ConfigMap"] });
    bed.cluster.namespace = "a";
    bed.cluster.setSource("Secret", "tls", { a: "1" });
    bed.cluster.setWorkload("web", {
      template: templateUsing({ app: {}, tls: { kind: "Secret" } }),
      annotations: { ...auto, "secret.reloader.stakater.com/reload": "t.*" },
    });
    await bed.elapse(200);
    bed.cluster.setSource("Secret", "tls", { a: "2" });
    bed.set("a", "2");
    await bed.elapse(200);
    expect(bed.cluster.rolls()).toHaveLength(2);
    expect(bed.cluster.calls.filter(({ target }) => target.startsWith("Secret"))).toEqual([]);
    expect(bed.watcher.statuses.map(({ resource }) => resource)).not.toContain("Secret");
  });
});

describe("a label selector of sources", () => {
  test("decides what counts; what it lost meanwhile is compared, and losing the label is no deletion", async () => {
    const sourceSelector = "reload=yes";
    const appearance = { reloadOnCreate: true, reloadOnDelete: true };
    await using bed = await serving(
      { a: {} },
      { ...scope({ sourceSelector }), ...appearance },
      { sourceSelector },
    );
    bed.set("a", "2");
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(0);
    const app = bed.set("a", "3");
    bed.cluster.labelSource(app, { reload: "yes" });
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(0);
    bed.set("a", "4");
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(1);
    bed.cluster.labelSource(app, {});
    bed.set("a", "5");
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(1);
    bed.cluster.labelSource(app, { reload: "yes" });
    await bed.elapse(200);
    expect(bed.rolls("a")).toBe(2);
  });
});

describe("sources that come and go", () => {
  const both = { reloadOnCreate: true, reloadOnDelete: true };
  const ref = { kind: "ConfigMap", namespace: "a", name: "app" } as const;

  test("roll each time once, with the flags", async () => {
    await using bed = await serving({ a: {} }, both);
    bed.cluster.deleteSource(ref);
    await bed.elapse(5000);
    expect(bed.rolls("a")).toBe(1);
    bed.set("a", "1");
    await bed.elapse(5000);
    expect(bed.rolls("a")).toBe(2);
  });

  test("roll nothing without them", async () => {
    await using bed = await serving({ a: {} }, {});
    bed.cluster.deleteSource(ref);
    await bed.elapse(5000);
    bed.set("a", "1");
    await bed.elapse(5000);
    expect(bed.rolls("a")).toBe(0);
  });

  test("are caught up with when they went while nothing ran", async () => {
    await using bed = await serving({ a: {} }, both);
    await bed.end();
    bed.cluster.deleteSource(ref);
    bed.begin();
    await bed.elapse(500);
    expect(bed.rolls("a")).toBe(1);
  });

  // Listed before anybody used it, so never handled: that the workload may carry it is noted with the workload.
  test("are caught up with also when the workload came after them", async () => {
    await using bed = await serving({ a: {} }, both);
    bed.set("a", "1", "db");
    await bed.elapse(200);
    bed.cluster.setWorkload("web", { template: templateUsing({ db: {} }), annotations: auto });
    await bed.elapse(200);
    await bed.end();
    bed.cluster.deleteSource({ ...ref, name: "db" });
    bed.begin();
    await bed.elapse(500);
    expect(bed.cluster.rolls({ kind: "Deployment", namespace: "a", name: "web" })).toHaveLength(1);
  });
});

describe("a secret provider class", () => {
  const vault = { kind: "SecretProviderClass", namespace: "a", name: "vault" } as const;
  const settings = {
    sourceKinds: ["ConfigMap", "Secret", "SecretProviderClass"],
    reloadOnCreate: true,
    reloadOnDelete: true,
  } as const;
  const csi = { volumeAttributes: { secretProviderClass: "vault" } };
  const spec = { containers: [{ name: "main" }], volumes: [{ name: "v", csi }] };

  test("rolls when another version is shown, and not when nothing shows it, or an older pod does", async () => {
    await using bed = await serving({ a: {} }, settings);
    const api = bed.cluster.setWorkload("api", { template: { spec }, annotations: auto });
    bed.cluster.showSource(vault, { key: "v1" }, 100);
    await bed.elapse(500);
    expect(bed.cluster.rolls(api)).toHaveLength(0);
    bed.cluster.showSource(vault, { key: "v2" }, 200);
    await bed.elapse(500);
    expect(bed.cluster.rolls(api)).toHaveLength(1);
    bed.cluster.showSource(vault, { key: "v1" }, 100);
    await bed.elapse(500);
    bed.cluster.showSource(vault, undefined, 0);
    await bed.elapse(500);
    bed.cluster.showSource(vault, { key: "v2" }, 300);
    await bed.elapse(500);
    expect(bed.cluster.rolls(api)).toHaveLength(1);
  });
});
