import { userInfo } from "node:os";
import process from "node:process";
import { Fault } from "@fleet-reloader/domain/fault";
import { optionalWholeNumber } from "@fleet-reloader/runtime/config/types";
import { switchFlag, textFlag } from "../frame/cli-fields.ts";
import { clusterFlag, onlyNamespace, sinceFlag } from "../questions/question-flags.ts";
import { fleetRedisFields } from "../redis/fleet-redis.ts";
import { serverFields } from "../server/server-fields.ts";

/** What every act needs. */
export const actFlags = {
  ...serverFields,
  redisUrl: fleetRedisFields.redisUrl,
  redisPasswordSecret: fleetRedisFields.redisPasswordSecret,
  dataDir: fleetRedisFields.dataDir,
  cluster: clusterFlag,
  namespace: onlyNamespace,
  reason: textFlag("reason", "TEXT", "Why; it is recorded in the history. Required."),
  by: textFlag(
    "by",
    "NAME",
    "Name of the person who acts. Without it, the user of this machine. With --server it is the owner of the token.",
  ),
  yes: switchFlag("yes", "Act on several workloads without a question."),
  expect: {
    schema: optionalWholeNumber(0, 10_000_000),
    meta: {
      flag: "expect",
      env: "FLEET_RELOADER_CLI_EXPECT",
      placeholder: "COUNT",
      description: "Act only if exactly so many workloads are meant.",
      defaultText: "any number",
      isOnce: true,
    },
  },
} as const;

/** What a discard needs beside. */
export const discardFlags = {
  ...actFlags,
  cause: textFlag(
    "cause",
    "REASON",
    "Only what failed for this reason, for example ProgressDeadlineExceeded.",
  ),
  since: sinceFlag,
} as const;

/** Who acts: who is named, and else the user of this machine. A pod may run under a number that has no name, as on OpenShift. */
export function actorOf(
  { by }: { readonly by: string },
  userOfMachine: () => { readonly username: string } = userInfo,
): string {
  if (by !== "") return by;
  try {
    return userOfMachine().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** Faults unless a reason is given: an act without one cannot be understood later. */
export function requireReason({ reason }: { readonly reason: string }): void {
  if (reason.trim() === "")
    throw new Fault(
      "config.invalid",
      '--reason: it is missing; write why, for example --reason "incident 4711"',
    );
}
