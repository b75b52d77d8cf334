import { namespaceFlag, textFlag } from "../frame/cli-fields.ts";
import { fleetRedisFields } from "../redis/fleet-redis.ts";
import { serverFields } from "../server/server-fields.ts";

export const historyConfig = {
  ...serverFields,
  ...fleetRedisFields,
  since: textFlag(
    "since",
    "TIME",
    "Start: a time such as 2026-01-31T18:00:00Z, an age such as 2h, or the id of a line to continue after it.",
  ),
  cluster: textFlag("cluster", "NAME", "Only this cluster, by name or id."),
  inNamespace: namespaceFlag("Only this namespace."),
  object: textFlag("name", "NAME", "Only the workload or source of this name."),
  change: textFlag("change", "ID", "Only this change: its id in one cluster, or its fleetChange in all."),
  limit: textFlag("limit", "COUNT", "Maximum number of lines. Without it, 10000."),
} as const;
