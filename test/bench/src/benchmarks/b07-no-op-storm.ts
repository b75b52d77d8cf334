import { setTimeout as wait } from "node:timers/promises";
import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { metered, type Usage } from "../meter/metered.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { figure, ratio } from "../report/table.ts";
import { requestNote, usageJson, usageTable } from "../report/usage-table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { drained, startPeerModel } from "../tool/peer-model.ts";
import type { Tool } from "../tool/tool.ts";
import { createPairs } from "../world/pairs.ts";
import { createNamespaces, numbered } from "../world/populate.ts";

const workloads = 100;
const touchesInFlight = 16;
const timeoutMs = 60_000;
const cpuSecondsMax = 0.5;

interface Storm {
  readonly seconds: number;
  readonly usage: Usage;
}

export const noOpStorm: Benchmark = {
  id: "B07",
  title: "Writes that change no content (an annotation of a used ConfigMap): no roll, and little CPU",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const { debounceArgs, settleMs } = paceOf(context);
  const events = context.size ?? (context.isQuick ? 300 : 10_000);
  await using server = await context.startServer();
  await createNamespaces(server, ["ours", "peer"]);
  await createPairs(server, { namespace: "ours", count: workloads, optIn: "ours" });
  await createPairs(server, { namespace: "peer", count: workloads, optIn: "peer model" });
  await using observer = await startObserver(server);
  using data = dataFolder();

  context.say(`ours: ${events} events`);
  const ours = await (async () => {
    await using tool = await startOurs({ server, dataDir: data.path, args: debounceArgs });
    await adopted(observer, "ours", workloads);
    return await measure({
      tool,
      server,
      observer,
      namespace: "ours",
      events,
      settleMs,
      done: () => wait(settleMs),
    });
  })();
  context.say(`peer model: ${events} events`);
  await using tool = await startPeerModel({ server, namespaces: ["peer"] });
  // What it has to do about an event that is none is done when the event is read; this only outlasts the reading.
  const done = async () => {
    await wait(settleMs);
    await drained(tool, timeoutMs);
  };
  const peer = await measure({ tool, server, observer, namespace: "peer", events, settleMs, done });
  return report(events, ours, peer, context);
}

async function measure(what: {
  readonly tool: Tool;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly namespace: string;
  readonly events: number;
  readonly settleMs: number;
  readonly done: () => Promise<unknown>;
}): Promise<Storm> {
  const { tool, server, observer, namespace, events, settleMs, done } = what;
  const configMaps = numbered("app", workloads);
  await wait(settleMs);
  await observer.ask("forget", undefined);
  const { result, usage } = await metered(tool, server, async () => {
    const ms = await observer.ask("touch", {
      namespace,
      configMaps,
      count: events,
      inFlight: touchesInFlight,
    });
    await done();
    return ms;
  });
  assertNoBug(
    tool.name,
    judgeRolls(await observer.ask("rolls", namespace), () => 0),
  );
  // Nobody may win this by looking away: a change of content still counts, once.
  const [changed = ""] = configMaps;
  await observer.ask("changeAsPlanned", [{ atMs: 0, namespace, configMap: changed }]);
  await observer.ask("settled", { quietMs: settleMs, timeoutMs });
  const expected = (name: string) => (name === changed ? 1 : 0);
  assertNoBug(`${tool.name}, after the storm`, judgeRolls(await observer.ask("rolls", namespace), expected));
  return { seconds: result / 1000, usage };
}

function report(events: number, ours: Storm, peer: Storm, { isQuick }: BenchContext): Outcome {
  const per10k = ({ usage }: Storm) => (usage.cpuSeconds / events) * 10_000;
  const row = (label: string, storm: Storm) => [
    label,
    String(events),
    figure(events / storm.seconds),
    "0",
    figure(per10k(storm)),
    figure((storm.usage.redisCommands ?? 0) / events),
  ];
  return {
    tables: [
      {
        title: "Events without a change",
        columns: ["arm", "events", "events/s", "rolls", "CPU-s per 10,000", "Redis commands per event"],
        rows: [
          row("ours", ours),
          row("peer model", peer),
          ["ratio ours / peer model", "", "", "", ratio(per10k(ours), per10k(peer)), ""],
        ],
      },
      usageTable("event", [
        { arm: "ours", usage: ours.usage, units: events },
        { arm: "peer model", usage: peer.usage, units: events },
      ]),
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: "B07 CPU per 10,000 events",
            limit: `≤ ${cpuSecondsMax} CPU-s`,
            value: `${figure(per10k(ours))} CPU-s`,
            isMet: per10k(ours) <= cpuSecondsMax,
          },
        ],
    notes: [requestNote("ours", ours.usage), requestNote("peer model", peer.usage)],
    measures: {
      events,
      ours: { ...ours, usage: usageJson(ours.usage) },
      peer: { ...peer, usage: usageJson(peer.usage) },
    },
  };
}
