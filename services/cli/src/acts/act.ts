import { Fault } from "@fleet-reloader/domain/fault";
import type { ActedFleet } from "@fleet-reloader/engine/act/acted-fleet";
import {
  discardedText,
  meantByDiscard,
  nothingDiscarded,
  performDiscard,
} from "@fleet-reloader/engine/act/discard-rolls";
import { type NamedObject, readNamedObject } from "@fleet-reloader/engine/act/named-object";
import {
  actedTypes,
  doneText,
  meantByAct,
  nothingMeant,
  type ObjectAction,
  performAct,
} from "@fleet-reloader/engine/act/object-act";
import { recordAct, recordDiscards } from "@fleet-reloader/redis/history/record-act";
import { OpenBreakers } from "@fleet-reloader/redis/ledger/open-breakers";
import { recordsSince } from "@fleet-reloader/redis/overview/recent-records";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { historyFields } from "@fleet-reloader/runtime/config/fields/history-fields";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { createPatternCompiler } from "@fleet-reloader/runtime/pattern/compile-pattern";
import type { CommandProcess } from "../frame/command.ts";
import { type FleetRedis, withFleetRedis } from "../redis/fleet-redis.ts";
import { type actFlags, actorOf, type discardFlags } from "./act-flags.ts";
import { confirmCount } from "./confirm-count.ts";

/** Nothing was found, or a person said no. */
const nothingDone = 1;

/** Exit codes of all acts. */
export const actExitCodes = {
  1: "nothing was done: nothing is meant, somebody said no, or Redis does not answer",
} as const;

/** Which command lists what an act may mean. */
const listedBy = { retry: "managed", replay: "managed", release: "held" } as const;
const listed = { managed: "them", held: "what is held" } as const;

/** Asks the workers to check what is meant, after a confirmation. Resolves to the exit code. */
export async function runAct(
  action: ObjectAction,
  text: string,
  config: ConfigOf<typeof actFlags>,
  io: CommandProcess,
): Promise<number> {
  const object = namedObject(text, actedTypes[action]);
  requireReason(config);
  return await withFleetRedis(config, io, async (redis) => {
    const { cluster, namespace, reason, yes, expect } = config;
    const fleet = actedFleet(redis);
    const meant = await meantByAct({ action, object, place: { cluster, namespace } }, fleet);
    const nothing = nothingMeant(meant);
    if (nothing !== undefined) {
      const list = listedBy[action];
      io.stderr.write(`${nothing}; fleet-reloader ${list} lists ${listed[list]}\n`);
      return nothingDone;
    }
    const count = meant.requests.length;
    if (!(await confirmCount({ count, act: action, yes, expect }, io))) return nothingDone;
    await performAct(meant, { by: actorOf(config), reason }, fleet);
    io.stdout.write(`${doneText(meant, count)}\n`);
    return 0;
  });
}

/** Takes failed rolls out of what failed, after a confirmation. Resolves to the exit code. */
export async function runDiscard(
  text: string,
  config: ConfigOf<typeof discardFlags>,
  io: CommandProcess,
): Promise<number> {
  const object = text === "" ? undefined : namedObject(text, ["workload"]);
  if (object?.type === "source") return nothingDone;
  requireReason(config);
  return await withFleetRedis(config, io, async (redis) => {
    const { cause, cluster, namespace, reason, since, yes, expect } = config;
    const fleet = actedFleet(redis);
    const meant = await meantByDiscard({ object, place: { cluster, namespace }, cause, since }, fleet);
    const nothing = nothingDiscarded(meant);
    if (nothing !== undefined) {
      io.stderr.write(`${nothing}; fleet-reloader queue counts what failed by reason\n`);
      return nothingDone;
    }
    const count = meant.rolls.length;
    if (!(await confirmCount({ count, act: "discard", yes, expect }, io))) return nothingDone;
    await performDiscard(meant, meant.rolls, { by: actorOf(config), reason }, fleet);
    io.stdout.write(`${discardedText(meant, count)}\n`);
    return 0;
  });
}

/** Faults unless a reason is given: an act without one cannot be understood later. */
function requireReason({ reason }: { readonly reason: string }): void {
  if (reason.trim() === "")
    throw new Fault(
      "config.invalid",
      '--reason: it is missing; write why, for example --reason "incident 4711"',
    );
}

/** Faults with the likely kind where the text names no object. */
function namedObject(text: string, wanted: readonly NamedObject["type"][]): NamedObject {
  const read = readNamedObject(text, wanted);
  if (read.type !== "misnamed") return read;
  throw new Fault("config.invalid", `${text.slice(0, 300)}: ${read.problem}; ${read.mend}`);
}

function actedFleet(redis: FleetRedis): ActedFleet {
  const { client, clock, keys, overview, queue, reader } = redis;
  const log = createLog({ service: "cli", level: "error", format: "json" });
  const lengthMax = historyFields.historyMaxLength.schema.parse(undefined);
  const recording = { client, keys, lengthMax, clock, log };
  return {
    overview,
    queue,
    clock,
    breakers: new OpenBreakers(redis),
    compile: createPatternCompiler(),
    record: (record) => recordAct(record, recording),
    recordDiscards: (records) => recordDiscards(records, recording),
    history: (since) => recordsSince({ reader, clock }, since),
  };
}
