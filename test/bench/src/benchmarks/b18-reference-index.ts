import type { IndexEntry } from "@fleet-reloader/engine/ports/reference-index";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { type BenchContext, type Benchmark, type Outcome, RollBug } from "../benchmark.ts";
import { readRedis } from "../meter/redis-info.ts";
import { figure } from "../report/table.ts";
import { type Spread, spreadOf } from "../stats/percentile.ts";
import { seededRandom } from "../stats/random.ts";
import { openRedisParts, type RedisParts } from "../tool/redis-parts.ts";

const markReferences = 1_000_000;
const buildSecondsMax = 10;
const mibMax = 150;
const lookupMsMax = 1;
/** A workload uses a handful of sources. */
const sourcesEach = 10;
const namespaces = 100;
/** As a list brings them: a page. */
const pageSize = 200;

interface Sizes {
  readonly references: number;
  readonly workloads: number;
  readonly samples: number;
}

export const referenceIndex: Benchmark = {
  id: "B18",
  title: "The reference index in a real Redis: build, look up, update",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const references = context.size ?? (context.isQuick ? 2000 : markReferences);
  const sizes = { references, workloads: references / sourcesEach, samples: context.isQuick ? 50 : 2000 };
  await using redis = await startRedis();
  await using parts = await openRedisParts(redis.url);
  const emptyMiB = (await readRedis(redis.port)).usedMiB;
  context.say(`${references} references of ${sizes.workloads} workloads`);
  const beganAt = performance.now();
  for (let from = 0; from < sizes.workloads; from += pageSize) {
    const to = Math.min(from + pageSize, sizes.workloads);
    await parts.index.put(Array.from({ length: to - from }, (_, at) => entry(from + at, 0)));
  }
  const buildSeconds = (performance.now() - beganAt) / 1000;
  const usedMiB = (await readRedis(redis.port)).usedMiB - emptyMiB;
  context.say("look up and update");
  const random = seededRandom(context.seed);
  const anyWorkload = () => Math.floor(random() * sizes.workloads);
  const lookups = await timed(sizes.samples, () => lookUp(parts, anyWorkload()));
  const updates = await timed(sizes.samples, async () => {
    await parts.index.put([entry(anyWorkload(), 1)]);
  });
  return report({ sizes, buildSeconds, usedMiB, lookups, updates }, context);
}

function entry(workload: number, change: number): IndexEntry {
  const namespace = `team-${workload % namespaces}`;
  return {
    workload: { kind: "Deployment", namespace, name: `app-${workload}` },
    sources: Array.from(
      { length: sourcesEach },
      (_, at) => `ConfigMap/${namespace}/settings-${workload}-${at + change}`,
    ),
    patterns: [],
    scope: "",
    window: {},
  };
}

async function lookUp({ index }: RedisParts, workload: number): Promise<void> {
  const { workload: ref, sources } = entry(workload, 0);
  const name = sources[0]?.split("/")[2] ?? "";
  const source = { kind: "ConfigMap", namespace: ref.namespace, name } as const;
  const changed = await index.findChanged([{ ref: source, resourceVersion: String(performance.now()) }]);
  const found = changed.flatMap(({ dependents }) => dependents.map((dependent) => dependent.workload.name));
  if (found.length !== 1 || found[0] !== ref.name)
    throw new RollBug([`missed: ${name} leads to ${found.join(", ") || "nobody"} and not to ${ref.name}`]);
}

async function timed(count: number, work: () => Promise<void>): Promise<Spread> {
  const times: number[] = [];
  for (let done = 0; done < count; done += 1) {
    const beganAt = performance.now();
    await work();
    times.push(performance.now() - beganAt);
  }
  return spreadOf(times);
}

function report(
  what: {
    readonly sizes: Sizes;
    readonly buildSeconds: number;
    readonly usedMiB: number;
    readonly lookups: Spread;
    readonly updates: Spread;
  },
  { isQuick }: BenchContext,
): Outcome {
  const { sizes, buildSeconds, usedMiB, lookups, updates } = what;
  const microseconds = ({ p50, p99 }: Spread) => [p50, p99].map((ms) => figure(ms * 1000));
  const atMost = (name: string, value: number, limit: number, unit: string) => ({
    figure: `B18 ${sizes.references} references, ${name}`,
    limit: `≤ ${limit} ${unit}`,
    value: `${figure(value)} ${unit}`,
    isMet: value <= limit,
  });
  return {
    tables: [
      {
        title: `${sizes.references} references of ${sizes.workloads} workloads, one client and one request at a time`,
        columns: ["build s", "Redis MiB", "B per reference", "look up µs p50", "p99", "update µs p50", "p99"],
        rows: [
          [
            figure(buildSeconds),
            figure(usedMiB),
            figure((usedMiB * 1024 * 1024) / sizes.references),
            ...microseconds(lookups),
            ...microseconds(updates),
          ],
        ],
      },
    ],
    marks:
      isQuick || sizes.references !== markReferences
        ? []
        : [
            atMost("build", buildSeconds, buildSecondsMax, "s"),
            atMost("memory", usedMiB, mibMax, "MiB"),
            atMost("look up p99", lookups.p99, lookupMsMax, "ms"),
          ],
    notes: [],
    measures: what,
  };
}
