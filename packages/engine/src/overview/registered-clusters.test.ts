import { expect, test } from "vitest";
import type { ClusterOverview, ManagedWorkload } from "./fleet-overview.ts";
import { listManaged, managedWorkloads } from "./registered-clusters.ts";

const names = ["a", "b", "c", "d"] as const;
const sizes: Readonly<Record<string, number>> = { a: 3, b: 0, c: 4, d: 2 };

function overviewOf(name: string, workloads = sizes[name] ?? 0): ClusterOverview {
  return {
    name,
    id: name,
    labels: {},
    status: undefined,
    watcher: undefined,
    workloads,
    unobserved: 0,
    rollouts: 0,
  };
}

function managedIn(cluster: string): readonly ManagedWorkload[] {
  return Array.from({ length: sizes[cluster] ?? 0 }, (_, at) => ({
    ref: { kind: "Deployment", namespace: "shop", name: `${cluster}-${at}` },
    sources: [],
    patterns: [],
  }));
}

test("every part is that of the whole list, and only its clusters are read", async () => {
  const clusters = names.map((name) => overviewOf(name));
  const read: string[] = [];
  const overview = {
    clusters: async () => clusters,
    managed: async (cluster: string) => {
      read.push(cluster);
      return managedIn(cluster);
    },
  };
  const { workloads } = await managedWorkloads(overview, { cluster: "", namespace: "" });
  const list = listManaged(clusters, overview);
  expect(list.count).toBe(9);
  for (let start = 0; start <= 9; start += 1)
    for (let end = start; end <= 10; end += 1)
      expect(await list.part(start, end)).toEqual(workloads.slice(start, end));
  read.length = 0;
  await list.part(1, 3);
  await list.part(3, 5);
  expect(read).toEqual(["a", "c"]);
});

test("a cluster that has grown or shrunk since it was counted moves no other", async () => {
  const overview = { managed: async (cluster: string) => managedIn(cluster) };
  const list = listManaged([overviewOf("a", 2), overviewOf("c", 6), overviewOf("d")], overview);
  const shown = (await list.part(0, list.count)).map(({ ref }) => ref.name);
  expect(shown).toEqual(["a-0", "a-1", "c-0", "c-1", "c-2", "c-3", "d-0", "d-1"]);
  expect((await list.part(8, 10)).map(({ ref }) => ref.name)).toEqual(["d-0", "d-1"]);
});
