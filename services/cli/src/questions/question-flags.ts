import { wholeNumber } from "@fleet-reloader/runtime/config/types";
import { namespaceFlag, textFlag } from "../frame/cli-fields.ts";
import type { CommandProcess } from "../frame/command.ts";

export const clusterFlag = textFlag("cluster", "NAME", "Only this cluster, by name or id.");
export const onlyNamespace = namespaceFlag("Only this namespace.");
export const sinceFlag = textFlag(
  "since",
  "TIME",
  "Start: a time such as 2026-01-31T18:00:00Z, or an age such as 2h. Without it, 1h.",
);
export const limitFlag = {
  schema: wholeNumber("100", 1, 100_000),
  meta: {
    flag: "limit",
    env: "FLEET_RELOADER_CLI_LIMIT",
    placeholder: "COUNT",
    description: "At most so many lines.",
  },
} as const;

/** Says that an answer is not about all records. */
export function warnOfCut({ stderr }: Pick<CommandProcess, "stderr">): void {
  stderr.write("not all records were read: there are newer ones; give a later --since\n");
}
