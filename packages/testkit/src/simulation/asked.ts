import { testKeyring, testSha1 } from "@fleet-reloader/domain/fixture/test-keys";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import { type BrakeOptions, createBrakes } from "@fleet-reloader/engine/admission/brakes";
import type { RollLedger, RollLimits } from "@fleet-reloader/engine/admission/roll-ledger";
import type { ExplainOptions } from "@fleet-reloader/engine/ask/explain";
import type { ExplainedCause, ExplainedVerdict } from "@fleet-reloader/engine/ask/explanation";
import type { DecisionRecord, HistoryRecord } from "@fleet-reloader/engine/history/history";
import type { ClusterApi } from "@fleet-reloader/engine/ports/cluster-api";
import type { Result } from "@fleet-reloader/engine/ports/request";
import { createReconciler } from "@fleet-reloader/engine/reconcile/reconcile-workload";
import { MemoryRollLedger } from "../memory/memory-roll-ledger.ts";
import { clocks, evictions, life, redisParts, thirdParties, type Weighted } from "./commands.ts";
import { Simulation } from "./world.ts";

/** What a worker did with a workload, and what it wrote of it into the history. */
export interface Done {
  readonly result: Result;
  readonly decision: DecisionRecord | undefined;
}

/** Sources and reasons in an order of their own. */
function causeText(causes: readonly ExplainedCause[]): string {
  const texts = causes.map(({ source, reason }) => `${sourceKey(source)} ${reason}`);
  return texts.toSorted().join(", ");
}

/** What a worker did. */
export function doneText({ result, decision }: Done): string {
  const sources = decision?.sources ?? [];
  const causes = sources
    .map((source) => `${sourceKey(source)} ${source.reason}`)
    .toSorted()
    .join(", ");
  if (result.type === "again")
    return result.hold === undefined ? result.reason : `${result.reason} ${causes}`;
  return result.outcome === "rolled" ? `rolled ${causes}` : result.outcome === "gone" ? "gone" : "stays";
}

/** The same in the words of a question. */
export function foretoldText(verdict: ExplainedVerdict): string {
  switch (verdict.type) {
    case "roll":
      return `rolled ${causeText(verdict.causes)}`;
    case "held":
      return `${verdict.reason} ${causeText(verdict.causes)}`;
    case "stays":
      return "stays";
    case "unknown":
      return verdict.reason;
    case "unserved":
      return verdict.reason === "WorkloadGone" ? "gone" : "stays";
  }
}

/** A question may not call these. */
function refused(): never {
  throw new Error("a question took or wrote something");
}

/** Lets whoever rests between two slices of work go on. No time passes. */
export async function withoutTime<T>(world: Simulation, asked: Promise<T>): Promise<T> {
  let isOpen = true;
  const close = () => {
    isOpen = false;
  };
  void asked.then(close, close);
  for (let turns = 0; isOpen && turns < turnsMax; turns += 1) await world.clock.advance(0);
  if (isOpen) throw new Error("it waits for time to pass");
  return await asked;
}

/** More than any question has steps. */
const turnsMax = 10_000;

/** A ledger that answers, and refuses to count. */
function askedOnly(ledger: RollLedger): RollLedger {
  const check: RollLedger["check"] = (...asked) => ledger.check(...asked);
  return { check, admit: refused, withdraw: refused, settled: refused };
}

function readOnly(api: ClusterApi): ClusterApi {
  return {
    cluster: api.cluster,
    readWorkload: (...asked) => api.readWorkload(...asked),
    readSource: (...asked) => api.readSource(...asked),
    readSourceAnnotations: (...asked) => api.readSourceAnnotations(...asked),
    readWorkloadAnnotations: (...asked) => api.readWorkloadAnnotations(...asked),
    readSources: (...asked) => api.readSources(...asked),
    listSourceNames: (...asked) => api.listSourceNames(...asked),
    listPods: (...asked) => api.listPods(...asked),
    readNamespaceLabels: (...asked) => api.readNamespaceLabels(...asked),
    patchWorkload: refused,
    createWorkload: refused,
    deleteExactly: refused,
  };
}

/**
 * Whoever asks about the simulated world, and a worker that then decides at once: no time passes and nobody writes in between. Both have
 * the same brakes, and the question may only read.
 */
export function askedWorld(world: Simulation, limits: RollLimits) {
  const parts = world.parts();
  const { clock, names, settings } = parts;
  const ledger = new MemoryRollLedger({ clock, limits });
  // Without chance: the same hold has the same time twice.
  const brakesOver = (over: BrakeOptions["ledger"]) =>
    createBrakes({ freezes: world.freezes, ledger: over, clock, random: () => 0 });
  const lifetime = new AbortController().signal;
  const shared = { keys: testKeyring("k1"), sha1: testSha1, names, settings, clock, lifetime };
  const asking: ExplainOptions = {
    ...shared,
    records: { read: (request) => world.redis.records.read(request) },
    brakes: { check: brakesOver(askedOnly(ledger)).check },
    queue: { waiting: (request) => world.redis.queue.waiting(request) },
    areKeysShared: true,
  };
  return {
    asking,
    cluster: {
      name: "c1",
      api: readOnly(world.cluster),
      lists: world.cluster,
      serverSeconds: () => world.cluster.serverSeconds(),
    },
    async reconcile(workload: WorkloadRef): Promise<Done> {
      const history: HistoryRecord[] = [];
      // Another process each time: a worker tells of a hold once.
      const reconcile = createReconciler({
        ...parts,
        ...shared,
        records: world.redis.records,
        brakes: brakesOver(ledger),
        engaged: async () => ({ name: "c1", api: world.cluster }),
        history: { append: (records) => history.push(...records) },
      });
      const delivery = { attemptsMade: 0, isDoubtful: false, purpose: "change", signal: lifetime } as const;
      const result = await withoutTime(world, reconcile({ cluster: "c1", workload }, delivery));
      const decision = history.find((record): record is DecisionRecord => record.type === "decision");
      return { result, decision };
    },
  };
}

/** What happens in the stories of questions: everything but a worker or a Redis that fails, which no question foretells. */
export const askedCommands: readonly Weighted[number][1][] = [
  ...life,
  ...clocks,
  ...evictions,
  ...redisParts,
  ...thirdParties,
  ...([
    [
      4,
      (world: Simulation) => {
        world.freeze();
        return undefined;
      },
    ],
    [
      4,
      (world: Simulation) => {
        world.unfreeze();
        return undefined;
      },
    ],
  ] as const),
].flatMap(([weight, command]) => Array.from({ length: weight }, () => command));

/** The world of a seed, with workloads and sources, in which the product has just arrived. */
export function arrivedWorld(seed: number): Simulation {
  const world = new Simulation(seed, { isSkewed: false, lateChance: 0 });
  for (let count = 0; count < 8; count += 1) {
    world.people.editWorkload();
    world.people.editSource();
  }
  world.arrive();
  return world;
}
