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
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { openActedFleet } from "@fleet-reloader/wiring/acted-fleet";
import type { CommandProcess } from "../frame/command.ts";
import { type FleetRedis, withFleetRedis } from "../redis/fleet-redis.ts";
import { openServer } from "../server/open-server.ts";
import { actByServer, type MeantByServer, meantByServer, refuseName } from "../server/served-act.ts";
import { type actFlags, actorOf, type discardFlags, requireReason } from "./act-flags.ts";
import { confirmCount } from "./confirm-count.ts";

/** Nothing was found, or a person said no. */
const nothingDone = 1;

/** Exit codes of all acts. */
export const actExitCodes = {
  1: "nothing was done: nothing is meant, somebody said no, or Redis or the server does not answer",
} as const;

/** Which command lists what an act may mean. */
const listedBy = { retry: "managed", replay: "managed", release: "held", discard: "queue" } as const;
const listings = {
  managed: "managed lists them",
  held: "held lists what is held",
  queue: "queue counts what failed by reason",
} as const;

/** Asks the workers to check what is meant, after a confirmation. Resolves to the exit code. */
export async function runAct(
  action: ObjectAction,
  text: string,
  config: ConfigOf<typeof actFlags>,
  io: CommandProcess,
): Promise<number> {
  const object = namedObject(text, actedTypes[action]);
  requireReason(config);
  const client = openServer(config, io);
  const { cluster, namespace, reason } = config;
  if (client !== undefined) {
    refuseName(config.by);
    const act = { action, body: { object: text, cluster, namespace } };
    const meant = await meantByServer(act, client);
    return await confirmAct(action, config, io, {
      meant,
      perform: (count) => actByServer(act, { count, reason }, client),
    });
  }
  return await withFleetRedis(config, io, async (redis) => {
    const fleet = actedFleet(redis);
    const meant = await meantByAct({ action, object, place: { cluster, namespace } }, fleet);
    const nothing = nothingMeant(meant);
    return await confirmAct(action, config, io, {
      meant: nothing === undefined ? { count: meant.requests.length } : { nothing },
      async perform() {
        await performAct(meant, { by: actorOf(config), reason }, fleet);
        return doneText(meant, meant.requests.length);
      },
    });
  });
}

/** Takes failed rolls out of what failed, after a confirmation. Resolves to the exit code. */
export async function runDiscard(
  text: string,
  config: ConfigOf<typeof discardFlags>,
  io: CommandProcess,
): Promise<number> {
  const object = text === "" ? undefined : namedWorkload(text);
  requireReason(config);
  const client = openServer(config, io);
  const { cause, cluster, namespace, reason, since } = config;
  if (client !== undefined) {
    refuseName(config.by);
    const act = { action: "discard", body: { object: text, cluster, namespace, cause, since } } as const;
    const meant = await meantByServer(act, client);
    return await confirmAct("discard", config, io, {
      meant,
      perform: (count) => actByServer(act, { count, reason }, client),
    });
  }
  return await withFleetRedis(config, io, async (redis) => {
    const fleet = actedFleet(redis);
    const meant = await meantByDiscard({ object, place: { cluster, namespace }, cause, since }, fleet);
    const nothing = nothingDiscarded(meant);
    const { rolls } = meant;
    return await confirmAct("discard", config, io, {
      meant: nothing === undefined ? { count: rolls.length } : { nothing },
      async perform() {
        await performDiscard(meant, rolls, { by: actorOf(config), reason }, fleet);
        return discardedText(meant, rolls.length);
      },
    });
  });
}

interface ActToConfirm {
  readonly meant: MeantByServer;
  /** Resolves to what was done, for people. */
  readonly perform: (count: number) => Promise<string>;
}

/** Acts if something is meant and nobody says no. */
async function confirmAct(
  action: keyof typeof listedBy,
  { expect, yes }: Pick<ConfigOf<typeof actFlags>, "expect" | "yes">,
  io: CommandProcess,
  { meant, perform }: ActToConfirm,
): Promise<number> {
  if (meant.nothing !== undefined) {
    io.stderr.write(`${meant.nothing}; fleet-reloader ${listings[listedBy[action]]}\n`);
    return nothingDone;
  }
  const { count } = meant;
  if (!(await confirmCount({ count, act: action, yes, expect }, io))) return nothingDone;
  io.stdout.write(`${await perform(count)}\n`);
  return 0;
}

/** Faults with the likely kind where the text names no object. */
function namedObject(text: string, wanted: readonly NamedObject["type"][]): NamedObject {
  const read = readNamedObject(text, wanted);
  if (read.type !== "misnamed") return read;
  throw new Fault("config.invalid", `${text.slice(0, 300)}: ${read.problem}; ${read.mend}`);
}

function namedWorkload(text: string): Extract<NamedObject, { readonly type: "workload" }> {
  const object = namedObject(text, ["workload"]);
  if (object.type === "workload") return object;
  throw new Fault("engine.invariant", "a source was read where only workloads are");
}

function actedFleet({ client, clock, keys, queue }: FleetRedis): ActedFleet {
  const log = createLog({ service: "cli", level: "error", format: "json" });
  // How many the fleet keeps is a setting of its processes.
  return openActedFleet({ client, keys, queue, lengthMax: undefined, clock, log });
}
