import { setTimeout as wait } from "node:timers/promises";
import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { countRolls, judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { type Pace, paceOf } from "../pace.ts";
import { figure } from "../report/table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { startPeerModel } from "../tool/peer-model.ts";
import { type Crowd, createCrowd, growCrowd } from "../world/many-objects.ts";

const bytes = 1024;
/** Of the workloads some are changed, some only touched, and the rest left alone. */
const usedMost = 1000;
const timeoutMs = 120_000;
const secondsMax = 2;

interface Restart {
  readonly what: string;
  readonly changed: number;
  readonly rolls: number;
  readonly readySeconds: number;
  /** From the start of the process; undefined when nothing rolled. */
  readonly lastRollSeconds: number | undefined;
}

export const warmRestart: Benchmark = {
  id: "B10",
  title: "Changes made while it was down: none missed, none made up",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const pace = paceOf(context);
  const objects = context.size ?? (context.isQuick ? 400 : 50_000);
  await using server = await context.startServer();
  await using observer = await startObserver(server);
  context.say(`creating ${objects} objects`);
  const crowd = await growCrowd(server, await createCrowd(server, bytes, 0), objects, usedMost);
  const changes = Math.min(100, Math.floor(crowd.used.length / 4));
  using data = dataFolder();
  {
    context.say("first start, which adopts");
    await using tool = await startOurs({ server, dataDir: data.path, args: pace.debounceArgs });
    await adopted(observer, crowd.namespace, crowd.used.length);
    await wait(pace.settleMs);
    assertNoBug(
      "ours, first start",
      judgeRolls(await observer.ask("rolls", crowd.namespace), () => 0),
    );
    await tool.stop();
  }
  const world = { server, observer, crowd, dataDir: data.path, pace };
  const restarts = [
    await restart({ ...world, what: "nothing changed", changed: [], touched: [] }),
    await restart({
      ...world,
      what: `${changes} changed, ${changes} touched`,
      changed: crowd.used.slice(0, changes),
      touched: crowd.used.slice(changes, 2 * changes),
    }),
  ];
  context.say("peer model");
  const peerRolls = await restartPeerModel({ server, observer, crowd, changes, pace });
  return report(crowd, restarts, { changes, peerRolls, isQuick: context.isQuick });
}

async function restart(what: {
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly crowd: Crowd;
  readonly dataDir: string;
  readonly pace: Pace;
  readonly what: string;
  readonly changed: readonly string[];
  readonly touched: readonly string[];
}): Promise<Restart> {
  const { server, observer, crowd, dataDir, pace, changed, touched } = what;
  const { namespace } = crowd;
  await observer.ask(
    "changeAsPlanned",
    changed.map((name) => ({ atMs: 0, namespace, configMap: name })),
  );
  if (touched.length > 0) {
    await observer.ask("touch", { namespace, configMaps: touched, count: touched.length, inFlight: 8 });
  }
  await observer.ask("forget", undefined);
  await using tool = await startOurs({ server, dataDir, args: pace.debounceArgs });
  await observer.ask("settled", { quietMs: pace.settleMs, timeoutMs });
  const rolls = await observer.ask("rolls", namespace);
  const wanted = new Set(changed);
  assertNoBug(
    `ours, ${what.what}`,
    judgeRolls(rolls, (name) => (wanted.has(name) ? 1 : 0)),
  );
  await tool.stop();
  const times = [...rolls.values()].flat();
  return {
    what: what.what,
    changed: changed.length,
    rolls: countRolls(rolls),
    readySeconds: tool.readyMs / 1000,
    lastRollSeconds: times.length === 0 ? undefined : Math.max(...times) / 1000,
  };
}

/** The same with the model, which ignores its first list as the peer does (compat 4.9). */
async function restartPeerModel(what: {
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly crowd: Crowd;
  readonly changes: number;
  readonly pace: Pace;
}): Promise<number> {
  const { server, observer, crowd, changes, pace } = what;
  const { namespace } = crowd;
  const settled = () => observer.ask("settled", { quietMs: pace.settleMs, timeoutMs });
  const change = (names: readonly string[]) =>
    observer.ask(
      "changeAsPlanned",
      names.map((name) => ({ atMs: 0, namespace, configMap: name })),
    );
  await change(crowd.used.slice(0, changes));
  await observer.ask("forget", undefined);
  await using tool = await startPeerModel({ server });
  await settled();
  const rolls = countRolls(await observer.ask("rolls", namespace));
  // It does hear of a change made while it runs: else its zero would say nothing.
  await change(crowd.used.slice(0, 1));
  await settled();
  if (countRolls(await observer.ask("rolls", namespace)) !== rolls + 1)
    throw new Error("the peer model is deaf");
  await tool.stop();
  return rolls;
}

function report(
  { objects, used }: Crowd,
  restarts: readonly Restart[],
  peer: { readonly changes: number; readonly peerRolls: number; readonly isQuick: boolean },
): Outcome {
  const last = restarts.at(-1);
  const row = ({ what, changed, rolls, readySeconds, lastRollSeconds }: Restart) => [
    `ours, ${what}`,
    String(changed),
    String(rolls),
    "0",
    "0",
    figure(readySeconds),
    lastRollSeconds === undefined ? "–" : figure(lastRollSeconds),
  ];
  const readySeconds = last?.readySeconds ?? Number.NaN;
  return {
    tables: [
      {
        title: `Restart among ${objects} objects, ${used.length} of them used by a workload; default debounce`,
        columns: [
          "while it was down",
          "changed",
          "rolled",
          "missed",
          "spurious",
          "s to in sync",
          "s to last roll",
        ],
        rows: [
          ...restarts.map(row),
          [
            `peer model, ${peer.changes} changed`,
            String(peer.changes),
            String(peer.peerRolls),
            String(peer.changes - peer.peerRolls),
            "0",
            "–",
            "–",
          ],
        ],
      },
    ],
    // One missed or spurious roll and there would be no result to judge.
    marks: peer.isQuick
      ? []
      : [
          { figure: "B10 missed and spurious rolls", limit: "0 and 0", value: "0 and 0", isMet: true },
          {
            figure: "B10 in sync again",
            limit: `≤ ${secondsMax} s`,
            value: `${figure(readySeconds)} s`,
            isMet: readySeconds <= secondsMax,
          },
        ],
    notes: [],
    measures: { objects, used: used.length, restarts, peer },
  };
}
