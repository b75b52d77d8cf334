import type { Checkpoints, ReferenceIndex } from "@fleet-reloader/engine/ports/reference-index";
import {
  entryOf,
  matchesForTest,
  namesForTest,
  versionOf,
  workloadNamed,
} from "@fleet-reloader/testkit/contracts/index/index-under-test";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { MemoryReferenceIndex } from "@fleet-reloader/testkit/memory/memory-reference-index";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { wallClock } from "@fleet-reloader/testkit/wall-clock";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisReferenceIndex } from "./redis-reference-index.ts";

const names = fc.constantFrom("a", "b", "123");
const keys = fc.constantFrom("ConfigMap/ns/a", "Secret/ns/a", "ConfigMap/ns/b", "ConfigMap/ns/123");
const patterns = fc.constantFrom(
  { kind: "ConfigMap", item: "[ab]" } as const,
  { kind: "Secret", item: ".*" } as const,
);
const entries = fc.tuple(
  names,
  fc.record({
    sources: fc.uniqueArray(keys),
    patterns: fc.uniqueArray(patterns),
    scope: fc.constantFrom("", "[1]"),
    window: fc.constantFrom({}, { quietPeriodMs: 7 }, { maxWaitMs: 0 }),
  }),
);
const sources = fc
  .tuple(names, fc.constantFrom("1", "2"), fc.constantFrom("ConfigMap" as const, "Secret" as const))
  .map(([name, version, kind]) => versionOf(name, version, kind));
const some = <T>(of: fc.Arbitrary<T>) => fc.array(of, { maxLength: 3 });

type Call = (index: ReferenceIndex & Checkpoints) => Promise<unknown>;
const calls: fc.Arbitrary<Call> = fc.oneof(
  fc.uniqueArray(entries, { selector: ([name]) => name }).map((list): Call => {
    return (index) => index.put(list.map(([name, entry]) => entryOf(name, entry)));
  }),
  some(names).map(
    (list): Call =>
      (index) =>
        index.markPublished(list.map((name) => workloadNamed(name))),
  ),
  some(names).map(
    (list): Call =>
      (index) =>
        index.remove(list.map((name) => workloadNamed(name))),
  ),
  some(names).map((list): Call => {
    return (index) => index.retain("Deployment", "ns", new Set(list.map((name) => `Deployment/ns/${name}`)));
  }),
  some(sources).map(
    (list): Call =>
      (index) =>
        index.markHandled(list),
  ),
  some(sources).map(
    (list): Call =>
      (index) =>
        index.forget(list.map(({ ref }) => ref)),
  ),
);

/** The order of answers does not matter. */
function sorted(answer: unknown): unknown {
  const texts = Array.isArray(answer) ? answer.map((item) => JSON.stringify(item)) : [];
  return texts.sort();
}

// What the engine's simulation proves with the in-memory double holds for Redis only if both behave alike.
test("whatever is asked in whatever order, Redis and the double answer alike", async () => {
  await using redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  let runs = 0;
  const all = ["a", "b", "123"].flatMap((name) => [versionOf(name, "1"), versionOf(name, "1", "Secret")]);
  const dependents = async (index: ReferenceIndex) =>
    (await index.findChanged(all)).map(({ source, dependents: found }) => [source, sorted(found)]);
  await fc.assert(
    fc.asyncProperty(fc.array(calls, { maxLength: 12 }), async (list) => {
      runs += 1;
      const shared = { clock: wallClock, names: namesForTest, matches: matchesForTest };
      const real = new RedisReferenceIndex({ ...shared, client, keys: new Keys(`p${runs}`), cluster: "c1" });
      const double = new MemoryReferenceIndex(shared);
      for (const index of [real, double]) await index.open();
      for (const call of list) {
        expect(sorted(await call(real))).toEqual(sorted(await call(double)));
        expect(await dependents(real)).toEqual(await dependents(double));
      }
    }),
    { numRuns: 60 },
  );
  await client.close();
});
