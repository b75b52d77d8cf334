import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type LogLine, type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis, type TestRedis } from "@fleet-reloader/testkit/redis-server";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { type BenchContext, type Benchmark, type Outcome, RollBug } from "../benchmark.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { seededRandom } from "../stats/random.ts";
import { sharedMarkKey } from "../tool/data-folder.ts";

const services = ["watcher", "worker", "standalone", "dashboard"] as const;
const ways = ["--version", "SIGTERM while it starts", "SIGTERM while it works", "a fault"] as const;

type Service = (typeof services)[number];
type Way = (typeof ways)[number];

/** The watcher is the one that was seen to hang: it is tried as often as the size says, the others a quarter of that. */
const fullRuns = 2000;
const quickRuns = 8;
const othersShare = 4;
/** Processes at a time: on two cores each of them waits for a core, as where its exit was seen to hang. */
const lanes = 6;
/** A process that has not ended so long after its signal, or after its last line, never does. */
const hungAfterMs = 60_000;
/** Signals while it starts come anywhere in this time. */
const startingMs = 2000;

interface End {
  readonly service: Service;
  readonly way: Way;
  readonly isHung: boolean;
  /** From its last line, or from the signal where it wrote nothing, to its end. */
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
  const waiting = services.flatMap((service) =>
    Array.from({ length: service === "watcher" ? runs : Math.ceil(runs / othersShare) }, (_, at) => ({
      service,
      way: ways[at % ways.length] ?? "--version",
      order: random(),
      delayMs: startingMs * random(),
    })),
  );
  waiting.sort((one, other) => one.order - other.order);
  const ends: End[] = [];
  const total = waiting.length;
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { service, way, delayMs } = next;
      ends.push(await endOne(service, { way, delayMs }, place));
      if (ends.length % 100 === 0)
        say(`${ends.length} of ${total}, ${ends.filter(({ isHung }) => isHung).length} hung`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return ends;
}

async function endOne(
  service: Service,
  { way, delayMs }: { readonly way: Way; readonly delayMs: number },
  { kubeconfig, redis, keyArgs }: Place,
): Promise<End> {
  const url = way === "a fault" ? `redis://nobody:wrong@127.0.0.1:${redis.port}` : redis.url;
  const args = way === "--version" ? ["--version"] : ["--redis-url", url, ...keyArgs];
  const product = startProduct({ service, kubeconfig, args });
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
  return { service, way, isHung, lateMs: (endedAt ?? Date.now()) - lastSign(product.log, signalledAt) };
}

/** Resolves when the process has said nothing for longer than any end takes. */
async function silence(product: Product, signalledAt: number): Promise<undefined> {
  const leftMs = () => lastSign(product.log, signalledAt) + hungAfterMs - Date.now();
  while (leftMs() > 0) await wait(Math.min(leftMs(), 1000));
  return undefined;
}

/** Time of the last line, or of the signal where it came later. */
function lastSign(log: readonly LogLine[], signalledAt: number): number {
  const times = log.slice(-1).map(({ time }) => Date.parse(String(time)));
  return Math.max(signalledAt, ...times.filter((time) => !Number.isNaN(time)));
}

function report(ends: readonly End[], { isQuick }: BenchContext): Outcome {
  const rows = services.flatMap((service) =>
    ways.map((way) => {
      const these = ends.filter((end) => end.service === service && end.way === way);
      const { p50, p99, max } = spreadOf(these.map(({ lateMs }) => lateMs));
      const hung = these.filter(({ isHung }) => isHung).length;
      return [`${service}, ${way}`, String(these.length), ...[p50, p99, max].map(figure), String(hung)];
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
        title: `ms from its last line (or the signal, or its start with --version) to its end, ${lanes} at a time`,
        columns: ["service, way", "runs", "p50", "p99", "max", "hung"],
        rows,
      },
    ],
    marks: isQuick
      ? []
      : [{ figure: "B25 exits that hang", limit: "0", value: String(hung), isMet: hung === 0 }],
    notes: [],
    measures: { ends },
  };
}
