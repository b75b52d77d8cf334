import { Fault } from "@fleet-reloader/domain/fault";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { counted } from "../frame/answer.ts";
import type { CommandProcess } from "../frame/command.ts";
import type { FleetRedis } from "../redis/fleet-redis.ts";
import { type actFlags, actorOf } from "./act-flags.ts";
import { confirmCount } from "./confirm-count.ts";
import type { NamedObject } from "./meant-workloads.ts";
import { type RecordedAct, recordAct } from "./record-act.ts";

/** Nothing was found, or a person said no. */
const nothingDone = 1;

/** Exit codes of all acts. */
export const actExitCodes = {
  1: "nothing was done: nothing is meant, somebody said no, or Redis does not answer",
} as const;

export interface ActOn {
  readonly action: RecordedAct["action"];
  readonly object: NamedObject;
  readonly requests: readonly Request[];
  /** Before the requests: what the act undoes. */
  readonly undo?: () => Promise<void>;
}

/** Faults unless a reason is given: an act without one cannot be understood later. */
export function requireReason({ reason }: { readonly reason: string }): void {
  if (reason.trim() === "")
    throw new Fault(
      "config.invalid",
      '--reason: it is missing; write why, for example --reason "incident 4711"',
    );
}

/** Asks the workers to check these workloads now, after a confirmation, and records who did so and why. */
export async function actOn(
  { action, object, requests, undo }: ActOn,
  config: ConfigOf<typeof actFlags>,
  { redis, io }: { readonly redis: FleetRedis; readonly io: CommandProcess },
): Promise<number> {
  const { cluster, namespace, reason, yes, expect } = config;
  const count = requests.length;
  const target = [`${object.kind}/${object.name}`, ...placeWords(cluster, namespace)].join(" ");
  if (count === 0 && undo === undefined) {
    io.stderr.write(`${target}: no workload that is reloaded is meant; fleet-reloader managed lists them\n`);
    return nothingDone;
  }
  if (!(await confirmCount({ count, act: action, yes, expect }, io))) return nothingDone;
  await undo?.();
  // The same as a change that is due at once: a request that waits is moved, and one on hold is asked about again.
  const atOnce = { quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" } as const;
  await redis.queue.add(
    requests.map((request) => ({
      request,
      quietPeriodMs: atOnce.quietPeriodMs,
      maxWaitMs: atOnce.maxWaitMs,
      purpose: atOnce.purpose,
    })),
  );
  const { type, kind, name } = object;
  const about = type === "workload" ? { workload: { kind, name } } : { source: { kind, name } };
  const place = Object.fromEntries(
    Object.entries({ cluster, namespace }).filter(([, value]) => value !== ""),
  );
  const scope = Object.assign(place, about);
  await recordAct({ action, by: actorOf(config), target, scope, reason, count }, redis);
  io.stdout.write(`${action} ${target}: ${counted(count, "workload")} will be checked now\n`);
  return 0;
}

function placeWords(cluster: string, namespace: string): readonly string[] {
  return [
    ...(namespace === "" ? [] : [`in namespace ${namespace}`]),
    ...(cluster === "" ? [] : [`on ${cluster}`]),
  ];
}
