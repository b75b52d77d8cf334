import type { BenchContext } from "../benchmark.ts";
import { assertNoBug } from "../benchmark.ts";
import { countWrong, judgeRolls } from "../observer/judge.ts";
import { adopted, type Observer, startObserver } from "../observer/observer.ts";
import { type Pace, paceOf } from "../pace.ts";
import type { BenchServer } from "../server/bench-server.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startOurs } from "../tool/ours.ts";
import { type PeerProgram, startPeer } from "../tool/peer.ts";
import { optInOf, type Program } from "../tool/tool.ts";
import { configMap, deployment } from "../world/objects.ts";
import { createNamespaces, createObjects } from "../world/populate.ts";
import type { Arm, Block } from "./comparison.ts";

/** Where the arms run in turn: each has a namespace of its name. */
export interface Arena extends AsyncDisposable {
  readonly server: BenchServer;
  readonly observer: Observer;
  /** Of our product, over its starts. */
  readonly dataDir: string;
  readonly peer: PeerProgram | undefined;
  readonly pace: Pace;
}

/** Here the peer shows that it is ready. */
const probe = { namespace: "probe", configMap: "probe", deployment: "probe" };
const probeTimeoutMs = 1000;
/** Two tools may obey the same annotation. Ours would make up for the changes that were made for the peer while ours was off. */
const ignoresOthers = `--namespaces-to-ignore=peer,floor,${probe.namespace}`;

/** An API server with sources, each with Deployments that use it, once for each arm. */
export async function openArena(
  context: BenchContext,
  peer: PeerProgram | undefined,
  users: Readonly<Record<string, readonly string[]>>,
): Promise<Arena> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await context.startServer());
  await populate(server, peer, users);
  const observer = stack.use(await startObserver(server));
  const { path: dataDir } = stack.use(dataFolder());
  const whole = stack.move();
  const pace = paceOf(context);
  return { server, observer, dataDir, peer, pace, [Symbol.asyncDispose]: () => whole.disposeAsync() };
}

/** The Deployments opt in to the arm whose namespace they are in. */
async function populate(
  server: BenchServer,
  peer: PeerProgram | undefined,
  users: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  await createNamespaces(server, ["ours", "peer", "floor", probe.namespace]);
  const peerOptIn = peer === undefined ? [] : [[peer.optIn, "true"] as const];
  const optIns = { ours: [[optInOf.ours, "true"] as const], peer: peerOptIn, floor: [], probe: peerOptIn };
  for (const [namespace, optIn] of Object.entries(optIns)) {
    const world = namespace === probe.namespace ? { [probe.configMap]: [probe.deployment] } : users;
    for (const [source, names] of Object.entries(world)) {
      await createObjects(server, "ConfigMap", namespace, [source], (name) => configMap(name, 1024));
      await createObjects(server, "Deployment", namespace, names, (name) =>
        deployment({ name, configMaps: [source], annotations: Object.fromEntries(optIn) }),
      );
    }
  }
}

/** Ours, without its breakers, once all workloads of its namespace are adopted. */
export async function startOursIn(
  { server, observer, dataDir }: Arena,
  workloads: number,
  args: readonly string[],
): Promise<Program> {
  const tool = await startOurs({ server, dataDir, args: [ignoresOthers, ...args] });
  await adopted(observer, "ours", workloads);
  return tool;
}

/** The peer, once it has rolled the probe and is idle again. */
export async function startPeerIn({ server, observer, peer, pace }: Arena): Promise<Program> {
  if (peer === undefined) throw new Error("no peer was given");
  const rollsProbe = async (): Promise<boolean> => {
    const [change] = await observer.ask("changeOneByOne", {
      pairs: [probe],
      pauseMs: [0, 0],
      seed: 1,
      timeoutMs: probeTimeoutMs,
    });
    return change?.fromSendMs !== undefined;
  };
  const tool = await startPeer(server, peer, rollsProbe);
  await observer.ask("settled", { quietMs: pace.settleAtOnceMs, timeoutMs: 60_000 });
  return tool;
}

/** Measures a program, and lets it end as it wants to. */
export async function measureWhole<T>(
  starting: Promise<Program>,
  measure: (tool: Program) => Promise<T>,
): Promise<T> {
  await using tool = await starting;
  const measured = await measure(tool);
  await tool.stop();
  return measured;
}

/** One block of each arm a round, every second round backwards: a machine that gets slower is slower for all. */
export async function inTurn(what: {
  readonly arena: Arena;
  readonly rounds: number;
  readonly say: BenchContext["say"];
  readonly measure: (arm: Arm) => Promise<Omit<Block, "arm" | "round">>;
}): Promise<readonly Block[]> {
  const { peer } = what.arena;
  const arms: readonly Arm[] = peer === undefined ? ["ours", "floor"] : ["ours", "floor", "peer"];
  const blocks: Block[] = [];
  for (let round = 1; round <= what.rounds; round += 1) {
    for (const arm of round % 2 === 1 ? arms : arms.toReversed()) {
      what.say(`round ${round} of ${what.rounds}: ${arm}`);
      blocks.push({ arm, round, ...(await what.measure(arm)) });
    }
  }
  return blocks;
}

/** Counts wrong rolls of a peer; one of ours, or of the floor, is a bug. */
export async function judgeArm(
  arm: Arm,
  observer: Observer,
  expected: (deployment: string) => number,
): Promise<Pick<Block, "missed" | "spurious">> {
  const rolls = await observer.ask("rolls", arm);
  if (arm !== "peer") assertNoBug(arm, judgeRolls(rolls, expected));
  return countWrong(rolls, expected);
}
