import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import { type SourceKind, sourceKey } from "@fleet-reloader/domain/source/source";
import { ClusterWatcher } from "@fleet-reloader/engine/watch/cluster-watcher";
import {
  type PublishedSource,
  type PublishedSources,
  WebhookPublisher,
} from "@fleet-reloader/engine/watch/sources/webhook-publisher";
import { describe, expect, test, vi } from "vitest";
import { auto, createTestBed } from "../../../beds/test-bed.ts";
import { entryOf } from "../../../beds/watched-sources.ts";

class MemoryPublishedSources implements PublishedSources {
  readonly all = new Map<string, PublishedSource>();

  async find(sources: Parameters<PublishedSources["find"]>[0]) {
    return sources.map((source) => this.all.get(sourceKey(source)));
  }

  async remember(told: readonly PublishedSource[]) {
    for (const one of told) this.all.set(sourceKey(one.ref), one);
  }

  async forget(sources: Parameters<PublishedSources["forget"]>[0]) {
    for (const source of sources) this.all.delete(sourceKey(source));
  }

  async remembered(kind: SourceKind) {
    return [...this.all.values()].map(({ ref }) => ref).filter((ref) => ref.kind === kind);
  }
}

/** A cluster that is watched in this mode, beginning with one ConfigMap and one Secret. */
function createWorld(how: { readonly onCreate?: boolean; readonly onDelete?: boolean } = {}) {
  const bed = createTestBed({ settings: { workloadKinds: [] } });
  const told = new MemoryPublishedSources();
  const news: string[] = [];
  const { cluster } = bed;
  const set = (name: string, a: string) => cluster.setSource("ConfigMap", name, { a });
  set("app", "1");
  cluster.setSource("Secret", "tls", { a: "1" });
  let keys = testKeyring("k1");
  let isAdopted = false;
  let answer = async () => true;
  return {
    ...{ ...bed, told, news, set },
    /** How calls go from now on. */
    answerWith: (outcome: Promise<boolean>) => {
      answer = () => outcome;
    },
    isAdopted: () => isAdopted,
    rotate: (...keyIds: Parameters<typeof testKeyring>) => {
      keys = testKeyring(...keyIds);
    },
    /** One life of a watcher, with this to happen while it watches. */
    async watch(happening: () => void = () => undefined) {
      const end = new AbortController();
      const createPublisher = (engagedAtSeconds: number) =>
        new WebhookPublisher({
          published: told,
          checkpoints: bed.index,
          api: cluster,
          keys,
          onCreate: how.onCreate ?? false,
          onDelete: how.onDelete ?? false,
          engagedAtSeconds,
          notify: (source) => {
            news.push(sourceKey(source));
            return answer();
          },
          signal: end.signal,
        });
      const parts = { ...bed, createPublisher };
      const watcher = new ClusterWatcher({ ...parts, cluster: "c1", name: "c1", streams: cluster });
      const running = watcher.run(end.signal);
      await bed.elapse(2000);
      expect(watcher.isInSync).toBe(true);
      happening();
      await bed.elapse(2000);
      isAdopted = watcher.isAdopted;
      end.abort();
      await bed.elapse(3000);
      await running;
    },
  };
}

describe("told is", () => {
  test("a change of content, of any source, once; nothing is rolled", async () => {
    const { watch, news, set, cluster } = createWorld();
    const template = { spec: { containers: [{ name: "c", envFrom: [{ configMapRef: { name: "app" } }] }] } };
    cluster.setWorkload("api", { template, annotations: auto });
    await watch(() => {
      set("app", "2");
      cluster.setSource("Secret", "tls", { a: "2" });
    });
    expect(news.toSorted()).toEqual(["ConfigMap/ns/app", "Secret/ns/tls"]);
    expect(cluster.writes.filter(({ by }) => by === "us")).toEqual([]);
  });

  test("a change made while nobody watched", async () => {
    const { watch, news, set } = createWorld();
    await watch();
    set("app", "2");
    await watch();
    await watch();
    expect(news).toEqual(["ConfigMap/ns/app"]);
  });

  test("a source that is made or removed, when asked for", async () => {
    const { watch, news, set, cluster, clock } = createWorld({ onCreate: true, onDelete: true });
    await clock.advance(10_000);
    let made = set("app", "1");
    await watch(() => {
      made = set("new", "1");
    });
    expect(news).toEqual(["ConfigMap/ns/new"]);
    await watch(() => cluster.deleteSource(made));
    expect(news).toEqual(["ConfigMap/ns/new", "ConfigMap/ns/new"]);
  });
});

describe("a call that does not reach its receiver", () => {
  const never = new Promise<boolean>(() => undefined);

  test.each([
    ["before the process ends", never],
    ["and is given up", Promise.resolve(false)],
  ])("%s is made by the next process", async (_, outcome) => {
    const { watch, news, set, cluster, answerWith } = createWorld({ onDelete: true });
    const gone = set("gone", "1");
    await watch();
    answerWith(outcome);
    await watch(() => {
      set("app", "2");
      cluster.deleteSource(gone);
    });
    answerWith(Promise.resolve(true));
    const both = ["ConfigMap/ns/app", "ConfigMap/ns/gone"];
    await watch();
    expect(news.toSorted()).toEqual([...both, ...both].toSorted());
    await watch();
    expect(news).toHaveLength(4);
  });

  test("is not made twice by one process", async () => {
    const { watch, news, set, cluster, answerWith } = createWorld();
    await watch();
    answerWith(never);
    await watch(() => {
      set("app", "2");
      cluster.cutWatches();
    });
    expect(news).toEqual(["ConfigMap/ns/app"]);
  });
});

test.each([
  { onDelete: true, told: ["ConfigMap/ns/app"] },
  { onDelete: false, told: [] },
])("what was removed while nobody watched is forgotten; it is told: $onDelete", async (one) => {
  const { watch, news, set, cluster, told } = createWorld({ onDelete: one.onDelete });
  await watch();
  cluster.deleteSource(set("app", "2"));
  await watch();
  expect([...told.all.keys()]).toEqual(["Secret/ns/tls"]);
  await watch();
  expect(news).toEqual(one.told);
});

describe("not told is", () => {
  test("what exists at the first list, also after the memory of it is lost", async () => {
    const { watch, news, told, index } = createWorld({ onCreate: true });
    await watch();
    told.all.clear();
    index.wipe();
    await watch();
    expect(news).toEqual([]);
  });

  test("a write of metadata only, and content that is back before anybody looks", async () => {
    const { watch, news, set, cluster } = createWorld();
    await watch(() => {
      cluster.setSource("ConfigMap", "app", { a: "1" }, { note: "x" });
      set("app", "2");
      set("app", "1");
    });
    expect(news).toEqual([]);
  });

  test("a source that is made or removed, when nobody asked for it", async () => {
    const { watch, news, set, cluster } = createWorld();
    await watch(() => cluster.deleteSource(set("new", "1")));
    expect(news).toEqual([]);
  });

  test("another key, while the old one is still held; a change under it is", async () => {
    const { watch, news, set, rotate, cluster } = createWorld();
    await watch();
    rotate("k2", "k1");
    cluster.setSource("ConfigMap", "app", { a: "1" }, { note: "x" });
    await watch();
    expect(news).toEqual([]);
    rotate("k3", "k2");
    set("app", "2");
    await watch();
    expect(news).toEqual(["ConfigMap/ns/app"]);
  });
});

test("what is remembered is keyed marks, no content", async () => {
  const { watch, told, cluster } = createWorld();
  cluster.setSource("Secret", "tls", { password: "hunter2" });
  await watch();
  const remembered = JSON.stringify([...told.all.values()]);
  expect(remembered).toContain("v1:k1:");
  expect(remembered).not.toContain("hunter2");
});

test("workloads that an earlier mode leaves in the index do not delay readiness", async () => {
  const { watch, index, isAdopted } = createWorld();
  const retainServed = index.retainServed.bind(index);
  // A process of the earlier mode may still run, and be late.
  vi.spyOn(index, "retainServed").mockImplementation(async (isServed) => {
    await retainServed(isServed);
    await index.put([{ ...entryOf("api", []), workload: { kind: "Service", namespace: "ns", name: "api" } }]);
  });
  await watch();
  expect(await index.unreconciled()).toBe(1);
  expect(isAdopted()).toBe(true);
});
