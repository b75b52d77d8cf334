import { expect, test } from "vitest";
import { stableHash } from "./stable-hash.ts";

// Another number would move every cluster to another shard, but the entries in existing Redis servers were stored by these numbers.
test.each([
  ["", 2872998923],
  ["cluster-1", 3006616245],
  ["0f7c1e9a-4e1f-4a39-9d0b-1d2f3c4b5a69", 3425372361],
])("the hash of %j is the one it has always been", (text, hash) => {
  expect(stableHash(text)).toBe(hash);
});

test("texts that differ in one character are spread evenly", () => {
  const buckets = new Array<number>(8).fill(0);
  for (let i = 0; i < 8000; i += 1) {
    const at = stableHash(`cluster-${i}`) % 8;
    buckets[at] = (buckets[at] ?? 0) + 1;
  }
  expect(Math.max(...buckets)).toBeLessThan(1150);
  expect(Math.min(...buckets)).toBeGreaterThan(850);
});
