import fc from "fast-check";
import { expect, test } from "vitest";
import { requestId } from "../queue/request-job.ts";
import { Keys } from "./keys.ts";

// Names that Kubernetes allows, with all characters that could pass for a separator; and digits alone.
const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,8}[a-z0-9])?$/);
const kind = fc.constantFrom("Deployment", "StatefulSet", "ConfigMap");
const request = fc.record({
  cluster: fc.oneof(fc.uuid(), fc.stringMatching(/^server-[0-9a-f]{8}$/)),
  workload: fc.record({ kind, namespace: name, name }),
});

test("different workloads have different ids and keys, whatever they are called", () => {
  const keys = new Keys("fleet-reloader");
  fc.assert(
    fc.property(request, request, (a, b) => {
      const isSame = JSON.stringify(a) === JSON.stringify(b);
      expect(requestId(a, "change") === requestId(b, "adoption")).toBe(isSame);
      const root = ({ cluster }: typeof a) => keys.cluster(cluster).root;
      expect(root(a) === root(b)).toBe(a.cluster === b.cluster);
    }),
    { numRuns: 1000 },
  );
});

// Data of an older version is found again, and two processes that are upgraded one after the other use the same keys.
test("with one shard every key has the name it had before there were shards", () => {
  const keys = new Keys("fleet-reloader");
  const { epoch, engagedAt, workloads, rollouts, root } = keys.cluster("c1");
  const all = [
    keys.markKeyId,
    ...keys.queuePrefixes,
    keys.history("c1"),
    ...keys.histories,
    epoch,
    engagedAt,
    workloads,
    rollouts,
  ];
  for (const key of [...all, root, keys.cluster("c1").handled("Secret")])
    expect(key.startsWith("{fleet-reloader:00}")).toBe(true);
});

test("all keys of a cluster lie in the slot of its shard, with any number of shards", () => {
  fc.assert(
    fc.property(request, fc.integer({ min: 1, max: 64 }), (one, shards) => {
      const keys = new Keys("fleet-reloader", shards);
      const tag = keys.queuePrefixes[keys.shardOf(one.cluster)];
      const { root, told } = keys.cluster(one.cluster);
      expect(tag).toMatch(/^\{fleet-reloader:\d\d\}$/);
      for (const key of [root, told, keys.history(one.cluster)]) expect(key.startsWith(`${tag}:`)).toBe(true);
    }),
  );
});

test("the clusters of a fleet are spread over the shards", () => {
  const keys = new Keys("fleet-reloader", 4);
  const shards = Array.from({ length: 400 }, (_, i) => keys.shardOf(`cluster-${i}`));
  for (const shard of [0, 1, 2, 3]) expect(shards.filter((its) => its === shard).length).toBeGreaterThan(60);
});
