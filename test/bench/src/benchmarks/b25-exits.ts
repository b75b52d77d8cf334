import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { type BenchContext, type Benchmark, type Mark, type Outcome, RollBug } from "../benchmark.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { seededRandom } from "../stats/random.ts";
import { sharedMarkKey } from "../tool/data-folder.ts";

const services = ["watcher", "worker", "standalone", "dashboard"] as const;
const ways = ["--version", "SIGTERM while it starts", "SIGTERM while it works", "a fault"] as const;
/** They end before anything has begun: a few of them are enough. */
const shortWays = ["--help", "a bad flag"] as const;

type Service = (typeof services)[number] | "cli";
type Way = (typeof ways)[number] | (typeof shortWays)[number];

/** A way out of a service. */
interface Exit {
  readonly service: Service;
  readonly way: Way;
}

/** The watcher is the one that was seen to hang: it is tried as often as the size says, the others a quarter of that. */
const fullRuns = 2000;
const quickRuns = 8;
const othersShare = 4;
/** Each short way out, whatever the service, and the end of a command. */
const shortShare = 10;
/** Processes at a time: on two cores each of them waits for a core, as where its exit was seen to hang. */
const lanes = 6;
/** A process that has not ended so long after its signal, or after its last line, never does. */
const hungAfterMs = 60_000;
/** Signals while it starts come anywhere in this time. */
const startingMs = 2000;
/** What an end may take after the last line. */
const markMs = 2000;

interface End extends Exit {
  readonly isHung: boolean;
  /** From its last line, or from the signal or its start where it wrote nothing since, to its end. */
  readonly lateMs: number;
}

interface Place {
  readonly kubeconfig: string;
  readonly redis: TestRedis;
  readonly keyArgs: readonly string[];
}

export const exits: Benchmark = {
  id: "B25",
  title: "Every way out of every service, many at a time: none hangs",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const runs = context.size ?? (context.isQuick ? quickRuns : fullRuns);
  await using cluster = await startSimCluster({ name: "exits" });
  await using redis = await startRedis();
  using key = sharedMarkKey();
  const directory = mkdtempSync(join(tmpdir(), "bench-exits-"));
  const kubeconfig = join(directory, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig(), { mode: 0o600 });
  try {
    const ends = await endAll(runs, { kubeconfig, redis, keyArgs: key.args }, context);
    return report(ends, context);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function endAll(runs: number, place: Place, { seed, say }: BenchContext): Promise<readonly End[]> {
  const random = seededRandom(seed);
  const waiting = exitsOf(runs).map((exit) => ({ exit, order: random(), delayMs: startingMs * random() }));
  waiting.sort((one, other) => one.order - other.order);
  const ends: End[] = [];
  const total = waiting.length;
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      ends.push(await endOne(next.exit, next.delayMs, place));
      if (ends.length % 100 === 0)
        say(`${ends.length} of ${total}, ${ends.filter(({ isHung }) => isHung).length} hung`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return ends;
}

function exitsOf(runs: number): readonly Exit[] {
  const short = Math.ceil(runs / shortShare);
  const times = (length: number, exitAt: (at: number) => Exit) =>
    Array.from({ length }, (_, at) => exitAt(at));
  return [
    ...services.flatMap((service) =>
      times(service === "watcher" ? runs : Math.ceil(runs / othersShare), (at) => ({
        service,
        way: ways[at % ways.length] ?? "--version",
      })),
    ),
    ...shortWays.flatMap((way) =>
      times(short, (at) => ({ service: services[at % services.length] ?? "watcher", way })),
    ),
    ...times(short, () => ({ service: "cli", way: "--version" })),
  ];
}

function argsOf(way: Way, { redis, keyArgs }: Place): readonly string[] {
  if (way === "--version" || way === "--help") return [way];
  if (way === "a bad flag") return ["--no-such-flag"];
  const url = way === "a fault" ? `redis://nobody:wrong@127.0.0.1:${redis.port}` : redis.url;
  return ["--redis-url", url, ...keyArgs];
}

async function endOne({ service, way }: Exit, delayMs: number, place: Place): Promise<End> {
  const product = startProduct({ service, kubeconfig: place.kubeconfig, args: argsOf(way, place) });
  const ended = product.ended.then(() => Date.now());
  let signalledAt = Date.now();
  if (way === "SIGTERM while it starts" || way === "SIGTERM while it works") {
    await (way === "SIGTERM while it starts" ? Promise.race([wait(delayMs), ended]) : product.ready());
    signalledAt = Date.now();
    product.signal("SIGTERM");
  }
  const endedAt = await Promise.race([ended, silence(product, signalledAt)]);
  if (endedAt === undefined) product.signal("SIGKILL");
  await ended;
  await product[Symbol.asyncDispose]();
  const isHung = endedAt === undefined;
  // What it wrote last may be read after its end.
  const lateMs = Math.max(0, (endedAt ?? Date.now()) - lastSign(product, signalledAt));
  return { service, way, isHung, lateMs };
}

/** Resolves when the process has said nothing for longer than any end takes. */
async function silence(product: Product, signalledAt: number): Promise<undefined> {
  const leftMs = () => lastSign(product, signalledAt) + hungAfterMs - Date.now();
  while (leftMs() > 0) await wait(Math.min(leftMs(), 1000));
  return undefined;
}

/** Time of the last line, or when it was read where it says none; or of the signal, where that came later. */
function lastSign({ log, saidAt }: Pick<Product, "log" | "saidAt">, signalledAt: number): number {
  const time = Date.parse(String(log.at(-1)?.time));
  return Math.max(signalledAt, Number.isNaN(time) ? (saidAt() ?? 0) : time);
}

function report(ends: readonly End[], { isQuick }: BenchContext): Outcome {
  const rows = [...services, "cli"].flatMap((service) =>
    [...ways, ...shortWays].flatMap((way) => {
      const these = ends.filter((end) => end.service === service && end.way === way);
      if (these.length === 0) return [];
      const { p50, p99, max } = spreadOf(these.map(({ lateMs }) => lateMs));
      const hung = these.filter(({ isHung }) => isHung).length;
      return [[`${service}, ${way}`, String(these.length), ...[p50, p99, max].map(figure), String(hung)]];
    }),
  );
  const hung = ends.filter(({ isHung }) => isHung).length;
  if (hung > 0)
    throw new RollBug(
      ends.filter(({ isHung }) => isHung).map(({ service, way }) => `${service} hung after ${way}`),
    );
  return {
    tables: [
      {
        title: `ms from its last line (or the signal, where that came later) to its end, ${lanes} at a time`,
        columns: ["service, way", "runs", "p50", "p99", "max", "hung"],
        rows,
      },
    ],
    marks: isQuick
      ? []
      : [
          { figure: "B25 exits that hang", limit: "0", value: String(hung), isMet: hung === 0 },
          ...[...ways, ...shortWays].map((way) => latestMark(way, ends)),
        ],
    notes: [],
    measures: { ends },
  };
}

/** The latest of all ends by this way, not a percentile: one that is late is one that a supervisor kills. */
function latestMark(way: Way, ends: readonly End[]): Mark {
  const [latest] = ends.filter((end) => end.way === way).sort((one, other) => other.lateMs - one.lateMs);
  const lateMs = latest?.lateMs ?? 0;
  return {
    figure: `B25 latest end after ${way}, ms from the last line`,
    limit: `≤ ${markMs}`,
    value: `${figure(lateMs)} (${latest?.service ?? "none"})`,
    isMet: lateMs <= markMs,
  };
}
