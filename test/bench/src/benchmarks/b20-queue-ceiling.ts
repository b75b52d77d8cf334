import { setTimeout as wait } from "node:timers/promises";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { until } from "@fleet-reloader/testkit/until";
import { type BenchContext, type Benchmark, type Outcome, RollBug } from "../benchmark.ts";
import { type Child, orEnd, startChild } from "../child/child.ts";
import type { ConsumerMethods } from "../consumer/methods.ts";
import { figure } from "../report/table.ts";
import { type Spread, spreadOf } from "../stats/percentile.ts";
import { benchCluster, openRedisParts, type RedisParts } from "../tool/redis-parts.ts";

const markPerSecond = 5000;
const quietPeriodMs = 2000;
/** Beyond the quiet period. */
const p99MsMax = 1000;
const concurrency = 64;
/** How often a watcher hands over what it has seen. */
const tickMs = 20;
const rates = [500, 1000, 2000, 3000, 4000, 5000, 6000, 8000];
const drainedTimeoutMs = 60_000;

interface Step {
  readonly perSecond: number;
  readonly handled: number;
  readonly beyondQuietMs: Spread;
}

export const queueCeiling: Benchmark = {
  id: "B20",
  title: "The queue of one shard with a handler that does nothing: changes/s at p99 < 1 s + quiet period",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const seconds = context.isQuick ? 1 : 8;
  const most = context.size ?? (context.isQuick ? 500 : Math.max(...rates));
  await using redis = await startRedis();
  await using parts = await openRedisParts(redis.url);
  await using consumer = startChild<ConsumerMethods>(new URL("../consumer/process.ts", import.meta.url));
  await orEnd(consumer, consumer.ask("start", { redisUrl: redis.url, concurrency }));
  const steps: Step[] = [];
  for (const perSecond of rates.filter((rate) => rate <= most)) {
    context.say(`${perSecond}/s`);
    const step = await measure(parts, consumer, perSecond, seconds);
    steps.push(step);
    if (step.beyondQuietMs.p99 > p99MsMax) break;
  }
  return report(steps, context);
}

async function measure(
  { queue }: RedisParts,
  consumer: Child<ConsumerMethods>,
  perSecond: number,
  seconds: number,
): Promise<Step> {
  await consumer.ask("forget", undefined);
  const [beganAt, count] = [performance.now(), perSecond * seconds];
  const additions: Promise<void>[] = [];
  let made = 0;
  while (made < count) {
    const due = Math.min(count, Math.floor(((performance.now() - beganAt) / 1000) * perSecond));
    const now = performance.timeOrigin + performance.now();
    const batch = Array.from({ length: due - made }, (_, at) => ({
      request: {
        cluster: benchCluster,
        workload: { kind: "Deployment", namespace: "bench", name: `${made + at}-${now}` },
      },
      ...{ quietPeriodMs, maxWaitMs: 15 * quietPeriodMs },
      purpose: "change" as const,
    }));
    additions.push(queue.add(batch));
    made = due;
    await wait(tickMs);
  }
  await Promise.all(additions);
  const handled = async () => (await consumer.ask("latencies", undefined)).length;
  await until("every request is handled", async () => (await handled()) >= count, drainedTimeoutMs);
  const latencies = await consumer.ask("latencies", undefined);
  if (latencies.length !== count) throw new RollBug([`${latencies.length} requests handled, not ${count}`]);
  return {
    perSecond,
    handled: latencies.length,
    beyondQuietMs: spreadOf(latencies.map((ms) => ms - quietPeriodMs)),
  };
}

function report(steps: readonly Step[], { isQuick }: BenchContext): Outcome {
  const kept = steps.filter(({ beyondQuietMs }) => beyondQuietMs.p99 <= p99MsMax);
  const ceiling = kept.at(-1)?.perSecond ?? 0;
  return {
    tables: [
      {
        title: `Producer, consumer (--concurrency ${concurrency}) and Redis as three processes; ms from addition to handler beyond the quiet period`,
        columns: ["changes/s", "handled", "p50", "p95", "p99", "max"],
        rows: steps.map(({ perSecond, handled, beyondQuietMs: { p50, p95, p99, max } }) => [
          String(perSecond),
          String(handled),
          ...[p50, p95, p99, max].map(figure),
        ]),
      },
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: "B20 changes/s per shard at p99 < 1 s beyond the quiet period",
            limit: `≥ ${markPerSecond}`,
            value: `${ceiling}`,
            isMet: ceiling >= markPerSecond,
          },
        ],
    notes: [],
    measures: { steps },
  };
}
