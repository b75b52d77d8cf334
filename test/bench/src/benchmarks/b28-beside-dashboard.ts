import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { makeToken, tokenDigest, writeTokenDigest } from "@fleet-reloader/runtime/access/token-digest";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { assertNoBug, type BenchContext, type Benchmark, type Mark, type Outcome } from "../benchmark.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { figure, ratio } from "../report/table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { spreadOf } from "../stats/percentile.ts";
import { dataFolder, sharedMarkKey } from "../tool/data-folder.ts";
import { unbroken } from "../tool/ours.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces } from "../world/populate.ts";

const namespace = "beside";
const pair = { namespace, configMap: "app-000000", deployment: "app-000000" };
const pauseMs = [20, 60] as const;
const missedAfterMs = 10_000;
const warmUp = 40;
/** As often as a page asks at most whose sign-in has ended. */
const tabs = 500;
const tabEveryMs = 60_000;

/** What is beside the hub. `expired`: tabs that ask with a sign-in that has ended. */
type Beside = "absent" | "expired" | "hung" | "killed";
/** Each arm once on the way there, and once on the way back: what drifts is in all of them. */
const order: readonly Beside[] = [
  "absent",
  "expired",
  "hung",
  "killed",
  "killed",
  "hung",
  "expired",
  "absent",
];

export const besideDashboard: Benchmark = {
  id: "B28",
  title:
    "One change in a hub beside a dashboard that is absent, killed, hung, or asked by 500 tabs with expired sign-ins",
  run,
};

interface Block {
  readonly beside: Beside;
  readonly fromSend: readonly number[];
  /** Requests of tabs that were refused. */
  readonly refused: number;
}

async function run(context: BenchContext): Promise<Outcome> {
  const changes = context.size ?? (context.isQuick ? 5 : 150);
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await context.startServer());
  await createNamespaces(server, [namespace]);
  await createPairs(server, { namespace, count: 1, optIn: "ours" });
  const observer = stack.use(await startObserver(server));
  const redis = stack.use(await startRedis());
  const key = stack.use(sharedMarkKey());
  const shared = ["--redis-url", redis.url, ...key.args];
  const start = (service: "watcher" | "worker", args: readonly string[]) =>
    stack.use(startProduct({ service, kubeconfig: server.kubeconfigPath, args: [...shared, ...args] }));
  start("watcher", ["--audit-interval", "0", "--debounce=0"]);
  start("worker", ["--debounce=0", ...unbroken]);
  await adopted(observer, namespace, 1);
  await changeOften(observer, warmUp, context.seed);
  await observer.ask("forget", undefined);
  const blocks: Block[] = [];
  for (const [at, beside] of order.entries()) {
    context.say(`block ${at + 1} of ${order.length}: ${beside}`);
    await using dashboard = await startBeside(beside, server, shared);
    const fromSend = await changeOften(observer, changes, context.seed + at);
    blocks.push({ beside, fromSend, refused: dashboard.refused() });
  }
  await observer.ask("settled", { quietMs: paceOf(context).settleMs, timeoutMs: missedAfterMs });
  const seen = await observer.ask("rolls", namespace);
  assertNoBug(
    namespace,
    judgeRolls(seen, () => changes * order.length),
  );
  return report(blocks, context.isQuick);
}

async function changeOften(observer: Observer, count: number, seed: number): Promise<readonly number[]> {
  const pairs = Array(count).fill(pair);
  const answers = await observer.ask("changeOneByOne", { pairs, pauseMs, seed, timeoutMs: missedAfterMs });
  return answers.flatMap(({ fromSendMs }) => fromSendMs ?? []);
}

/** Starts a dashboard, and does to it what the arm says. */
async function startBeside(beside: Beside, server: BenchServer, shared: readonly string[]) {
  await using stack = new AsyncDisposableStack();
  let refused = 0;
  if (beside !== "absent") {
    const folder = stack.use(dataFolder());
    const file = join(folder.path, "access.yaml");
    const tokens = [writeTokenDigest(tokenDigest(makeToken()))];
    const grants = [{ role: "viewer", clusters: "*", namespaces: "*" }];
    writeFileSync(file, JSON.stringify({ people: [{ name: "ann", tokens, grants }] }));
    const args = [...shared, "--access-file", file];
    const product = stack.use(
      startProduct({ service: "dashboard", kubeconfig: server.kubeconfigPath, args }),
    );
    await product.ready();
    if (beside === "hung") product.signal("SIGSTOP");
    if (beside === "killed") {
      product.signal("SIGKILL");
      await product.ended;
    }
    if (beside === "expired") {
      const url = `${originOf(product)}/api/v1/changes`;
      const count = () => {
        refused += 1;
      };
      const timer = setInterval(() => askExpired(url, count), tabEveryMs / tabs);
      stack.defer(() => clearInterval(timer));
    }
  }
  const owned = stack.move();
  return { refused: () => refused, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function originOf({ log }: Pick<Product, "log">): string {
  return new URL(String(log.find(({ msg }) => msg === "dashboard started")?.page)).origin;
}

function askExpired(url: string, onRefused: () => void): void {
  const cookie = `fleet-reloader-session-${new URL(url).port}=${"a".repeat(43)}`;
  get(url, { headers: { cookie }, agent: false }, (answer) => {
    answer.resume();
    if (answer.statusCode === 401) onRefused();
    // One that is cut off at the end of its arm says nothing.
  }).on("error", () => undefined);
}

function report(blocks: readonly Block[], isQuick: boolean): Outcome {
  const of = (beside: Beside) => blocks.filter((block) => block.beside === beside);
  const spread = (beside: Beside) => spreadOf(of(beside).flatMap(({ fromSend }) => fromSend));
  const arms = [...new Set(order)];
  const alone = spread("absent").p50;
  return {
    tables: [
      {
        title: "write sent → new template seen, in ms, --debounce=0",
        columns: ["dashboard", "changes", "p50", "p95", "p99", "p50 by absent", "refused"],
        rows: arms.map((beside) => {
          const { count, p50, p95, p99 } = spread(beside);
          const refused = of(beside).reduce((sum, one) => sum + one.refused, 0);
          const figures = [p50, p95, p99].map(figure);
          return [beside, String(count), ...figures, ratio(p50, alone), String(refused)];
        }),
      },
    ],
    marks: isQuick
      ? []
      : arms.slice(1).map((beside): Mark => {
          const more = spread(beside).p50 / alone - 1;
          return {
            figure: `B28 p50 beside a dashboard that is ${beside}`,
            limit: "≤ 5 % more than without one",
            value: `${figure(100 * more)} %`,
            isMet: more <= 0.05,
          };
        }),
    notes: [
      `p50 of the blocks in their order: ${blocks.map(({ beside, fromSend }) => `${beside} ${figure(spreadOf(fromSend).p50)}`).join(", ")} (two blocks of one arm: the noise)`,
    ],
    measures: { blocks },
  };
}
