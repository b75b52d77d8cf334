import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import { LiveSources } from "@fleet-reloader/engine/observe/live-sources";
import type { ClusterApi } from "@fleet-reloader/engine/ports/cluster-api";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";
import { MemoryCluster } from "../../memory/memory-cluster.ts";

/** A cluster with so many ConfigMaps and Secrets, and what was asked of it. */
function clusterWith(count: number) {
  const cluster = new MemoryCluster({ clock: new ManualClock() });
  const refs = (["ConfigMap", "Secret"] as const).flatMap((kind) =>
    Array.from({ length: count }, (_, at) => cluster.setSource(kind, `s${at}`, { a: `${at}` })),
  );
  const asked = { reads: 0, mostAtOnce: 0, lists: 0, names: 0 };
  let atOnce = 0;
  const api: ClusterApi = Object.assign(Object.create(cluster), {
    cluster: cluster.cluster,
    async readSource(ref: SourceRef, signal: AbortSignal) {
      asked.reads += 1;
      atOnce += 1;
      asked.mostAtOnce = Math.max(asked.mostAtOnce, atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      return await cluster.readSource(ref, signal);
    },
    async readSources(...given: Parameters<ClusterApi["readSources"]>) {
      asked.lists += 1;
      return await cluster.readSources(...given);
    },
    async listSourceNames(...given: Parameters<ClusterApi["listSourceNames"]>) {
      asked.names += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return await cluster.listSourceNames(...given);
    },
  });
  return { api, refs, asked };
}

const missing: SourceRef = { kind: "ConfigMap", namespace: "ns", name: "missing" };
const isConfigMap = (kind: SourceKind): boolean => kind === "ConfigMap";

// 6,000 reads at once had a cluster called unreachable.
test("many sources are read some at a time, or as one list where lists are allowed", async () => {
  const { api, refs, asked } = clusterWith(300);
  const sources = new LiveSources(new AbortController().signal, new ManualClock());
  const lives = await sources.readAll(api, [...refs, missing], isConfigMap);
  expect(lives.size).toBe(600);
  expect([...lives.values()].map(({ ref }) => ref)).toEqual(expect.arrayContaining(refs));
  expect(asked).toMatchObject({ reads: 300, mostAtOnce: 8, lists: 1 });
});

test("few sources are read one by one", async () => {
  const { api, refs, asked } = clusterWith(20);
  const lives = await new LiveSources(new AbortController().signal, new ManualClock()).readAll(
    api,
    refs,
    () => true,
  );
  expect(lives.size).toBe(40);
  expect(asked).toMatchObject({ reads: 40, lists: 0 });
});

test("a thousand workloads that ask for names of a namespace share a handful of lists", async () => {
  const { api, asked } = clusterWith(3);
  const sources = new LiveSources(new AbortController().signal, new ManualClock());
  const ask = () => sources.names(api, "ConfigMap", "ns");
  const all = await Promise.all(Array.from({ length: 1000 }, ask));
  expect(new Set(all.map((names) => names.join()))).toEqual(new Set(["s0,s1,s2"]));
  expect(asked.names).toBe(2);
});

test("the last read of a source says since when nothing freezes it", async () => {
  const clock = new ManualClock();
  const cluster = new MemoryCluster({ clock });
  const ref = cluster.setSource("ConfigMap", "app", { a: "1" });
  const sources = new LiveSources(new AbortController().signal, clock);
  expect(sources.unfrozenAtMs(cluster, ref)).toBeUndefined();
  await clock.advance(1000);
  await sources.read(cluster, ref);
  await clock.advance(1000);
  expect(sources.unfrozenAtMs(cluster, ref)).toBe(1000);
  expect(sources.unfrozenAtMs({ cluster: "another" }, ref)).toBeUndefined();
  cluster.setSource("ConfigMap", "app", { a: "1" }, { "fleet-reloader.io/freeze": "true" });
  await sources.read(cluster, ref);
  expect(sources.unfrozenAtMs(cluster, ref)).toBeUndefined();
});
