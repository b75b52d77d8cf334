import { userInfo } from "node:os";
import { wholeNumber } from "@fleet-reloader/runtime/config/types";
import { switchFlag, textFlag } from "../frame/cli-fields.ts";
import { clusterFlag, namespaceFlag, sinceFlag } from "../questions/question-flags.ts";
import { fleetRedisFields } from "../redis/fleet-redis.ts";

/** What every act needs. */
export const actFlags = {
  redisUrl: fleetRedisFields.redisUrl,
  redisPasswordSecret: fleetRedisFields.redisPasswordSecret,
  dataDir: fleetRedisFields.dataDir,
  cluster: clusterFlag,
  namespace: namespaceFlag,
  reason: textFlag("reason", "TEXT", "Why; it is recorded in the history. Required."),
  by: textFlag("by", "NAME", "Name of the person who acts. Without it, the user of this machine."),
  yes: switchFlag("yes", "Act on several workloads without a question."),
  expect: {
    schema: wholeNumber("0", 0, 10_000_000),
    meta: {
      flag: "expect",
      env: "FLEET_RELOADER_CLI_EXPECT",
      placeholder: "COUNT",
      description: "Act only if exactly so many workloads are meant.",
      defaultText: "any number",
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

/** Who acts. */
export function actorOf({ by }: { readonly by: string }): string {
  return by || userInfo().username;
}
