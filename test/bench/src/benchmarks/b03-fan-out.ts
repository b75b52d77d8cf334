import { assertNoBug, type BenchContext, type Benchmark, type Outcome } from "../benchmark.ts";
import { metered, type Usage } from "../meter/metered.ts";
import { judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { paceOf } from "../pace.ts";
import { defaultRate, listsInAppsBucket } from "../peer-model/event-handler.ts";
import { fanOutWaitSeconds } from "../peer-model/token-bucket.ts";
import { figure, ratio } from "../report/table.ts";
import { requestNote, usageJson, usageTable } from "../report/usage-table.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { median } from "../stats/percentile.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { type Floor, floorInFlight, measureFloor } from "../tool/floor.ts";
import { startOurs } from "../tool/ours.ts";
import { startPeerModel } from "../tool/peer-model.ts";
import { optInOf, type Tool } from "../tool/tool.ts";
import { configMap, deployment } from "../world/objects.ts";
import { createNamespaces, createObjects, numbered } from "../world/populate.ts";

const markDependents = 1000;
const secondsMax = 3;
const source = "shared";
/** The model needs (3 + N − 10) / 5 seconds: 10.6 for these, 198.6 for 1,000. */
const peerDependents = 60;
const rounds = 3;
const timeoutMs = 240_000;

interface Round {
  readonly seconds: number;
  readonly firstSeconds: number;
  readonly usage: Usage;
}

export const fanOut: Benchmark = {
  id: "B03",
  title: "One change, many dependents: write → last new template seen",
  run,
};

async function run(context: BenchContext): Promise<Outcome> {
  const dependents = context.size ?? (context.isQuick ? 30 : markDependents);
  const { settleAtOnceMs: settleMs } = paceOf(context);
  const peers = context.isQuick ? 12 : peerDependents;
  await using server = await context.startServer();
  await createNamespaces(server, ["ours", "peer", "floor"]);
  const shapes = [
    ["ours", dependents, { [optInOf.ours]: "true" }],
    ["peer", peers, { [optInOf["peer model"]]: "true" }],
    ["floor", dependents, {}],
  ] as const;
  for (const [namespace, count, annotations] of shapes) {
    await createObjects(server, "ConfigMap", namespace, [source], (name) => configMap(name, 1024));
    const make = (name: string) => deployment({ name, configMaps: [source], annotations });
    await createObjects(server, "Deployment", namespace, numbered("app", count), make);
  }
  await using observer = await startObserver(server);
  using data = dataFolder();

  // A new API server is slow at first: it compiles nothing, but its caches and its heap are small.
  context.say("warming the API server up");
  await measureFloor(server, { namespace: "floor", deployments: numbered("app", dependents) });
  const ours: Round[] = [];
  {
    await using tool = await startOurs({ server, dataDir: data.path, args: ["--debounce=0"] });
    await adopted(observer, "ours", dependents);
    for (let round = 1; round <= (context.isQuick ? 1 : rounds); round += 1) {
      context.say(`ours, round ${round}`);
      ours.push(await measure({ tool, server, observer, namespace: "ours", dependents, settleMs }));
    }
    await tool.stop();
  }
  context.say(`floor: bare PATCHes, ${floorInFlight} in flight`);
  const floor = await measureFloor(server, { namespace: "floor", deployments: numbered("app", dependents) });
  context.say(`peer model, ${peers} dependents`);
  await using peerModel = await startPeerModel({ server, namespaces: ["peer"] });
  const peer = await measure({
    tool: peerModel,
    server,
    observer,
    namespace: "peer",
    dependents: peers,
    settleMs,
  });
  return report({ dependents, peers, ours, peer, floor }, context);
}

async function measure(what: {
  readonly tool: Tool;
  readonly server: BenchServer;
  readonly observer: Observer;
  readonly namespace: string;
  readonly dependents: number;
  readonly settleMs: number;
}): Promise<Round> {
  const { tool, server, observer, namespace, dependents, settleMs } = what;
  await observer.ask("forget", undefined);
  let sentAt = 0;
  const { usage } = await metered(tool, server, async () => {
    const [sent] = await observer.ask("changeAsPlanned", [{ atMs: 0, namespace, configMap: source }]);
    sentAt = sent ?? 0;
    await allRolled(observer, namespace, dependents, Math.min(settleMs, 500));
  });
  await observer.ask("settled", { quietMs: settleMs, timeoutMs });
  const rolls = await observer.ask("rolls", namespace);
  assertNoBug(
    tool.name,
    judgeRolls(rolls, () => 1),
  );
  const times = [...rolls.values()].flat().map((at) => (at - sentAt) / 1000);
  return { seconds: Math.max(...times), firstSeconds: Math.min(...times), usage };
}

/** The meters stop soon after the last roll; whether one is missing or doubled is judged after the settling time. */
export async function allRolled(
  observer: Observer,
  namespace: string,
  dependents: number,
  quietMs: number,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (await observer.ask("settled", { quietMs, timeoutMs: 2 * quietMs })) {
      const rolls = await observer.ask("rolls", namespace);
      const rolled = [...rolls.values()].filter((times) => times.length > 0).length;
      if (rolled >= dependents) return;
    }
  }
}

function report(
  what: {
    readonly dependents: number;
    readonly peers: number;
    readonly ours: readonly Round[];
    readonly peer: Round;
    readonly floor: Floor;
  },
  { isReal }: BenchContext,
): Outcome {
  const { dependents, peers, ours, peer, floor } = what;
  const seconds = median(ours.map((round) => round.seconds));
  const derived = fanOutWaitSeconds(dependents, defaultRate, listsInAppsBucket);
  return {
    tables: [
      {
        title: "Fan-out in seconds, each workload exactly once",
        columns: ["arm", "dependents", "first", "last", "rolls/s"],
        rows: [
          ...ours.map((round, at) => [
            `ours, round ${at + 1}`,
            String(dependents),
            figure(round.firstSeconds),
            figure(round.seconds),
            figure(dependents / round.seconds),
          ]),
          [
            "peer model",
            String(peers),
            figure(peer.firstSeconds),
            figure(peer.seconds),
            figure(peers / peer.seconds),
          ],
          [
            `peer model, derived: (${listsInAppsBucket} + N − ${defaultRate.burst}) / ${defaultRate.perSecond}`,
            String(dependents),
            "–",
            figure(derived),
            figure(dependents / derived),
          ],
          [
            `floor: bare PATCHes, ${floorInFlight} in flight`,
            String(dependents),
            "–",
            figure(floor.seconds),
            figure(dependents / floor.seconds),
          ],
          ["ratio ours / peer model, derived", "", "", ratio(seconds, derived), ""],
          ["ratio ours / floor", "", "", ratio(seconds, floor.seconds), ""],
        ],
      },
      usageTable("roll", [
        ...ours.map(({ usage }, at) => ({ arm: `ours, round ${at + 1}`, usage, units: dependents })),
        { arm: "peer model", usage: peer.usage, units: peers },
      ]),
    ],
    marks:
      !isReal || dependents !== markDependents
        ? []
        : [
            {
              figure: `B03, ${dependents} dependents`,
              limit: `≤ ${secondsMax} s`,
              value: `${figure(seconds)} s`,
              isMet: seconds <= secondsMax,
            },
          ],
    notes: [
      "given, of another machine, 1,000 dependents: the peer 198 s, its unreleased rewrite 5.8 s, bare PATCHes 1.0 s",
      `server CPU of the floor: ${figure((floor.serverCpuSeconds * 1000) / dependents)} ms per PATCH`,
      ...ours.slice(-1).map(({ usage }) => requestNote("ours", usage)),
      requestNote("peer model", peer.usage),
    ],
    measures: {
      ...what,
      ours: ours.map((round) => ({ ...round, usage: usageJson(round.usage) })),
      peer: { ...peer, usage: usageJson(peer.usage) },
      derived,
    },
  };
}
