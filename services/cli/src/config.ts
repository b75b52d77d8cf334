import { connectionFields } from "@fleet-reloader/runtime/config/fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { boolean, textValue } from "@fleet-reloader/runtime/config/types";

const { kubeconfig, contexts, dataDir, redisUrl } = connectionFields;

/** Where the freeze document is. */
const placeFields = { kubeconfig, contexts, dataDir, ...freezeFields } as const;

const scope = (flag: string, placeholder: string, description: string) => ({
  schema: textValue(""),
  meta: { flag, env: envOf(flag), placeholder, description, defaultText: "none" },
});

/** What is frozen. An object has to match every field that is given. */
const scopeFields = {
  fleet: {
    schema: boolean(false),
    meta: {
      flag: "fleet",
      env: envOf("fleet"),
      placeholder: "BOOL",
      isSwitch: true,
      description: "Everything.",
    },
  },
  cluster: scope("cluster", "NAME", "Name or id of a cluster."),
  clusterSelector: scope("cluster-selector", "SELECTOR", "Clusters by the labels they were registered with."),
  inNamespace: scope("namespace", "NAME", "A namespace."),
  workload: scope("workload", "KIND/NAME", "A workload, for example Deployment/api."),
  source: scope("source", "KIND/NAME", "A source, for example Secret/db."),
} as const;

export const freezeConfig = {
  ...placeFields,
  ...scopeFields,
  reason: scope("reason", "TEXT", "The reason, for people."),
  until: scope("until", "TIME", "When the freeze ends: 2026-01-31T18:00:00Z, or a time from now: 2h, 2d."),
  redisUrl: {
    ...redisUrl,
    meta: {
      ...redisUrl.meta,
      description: "Redis of the fleet-reloader. With it the command says what the freeze covers.",
      defaultText: "the embedded one of the data dir",
    },
  },
  by: scope("by", "NAME", "Who freezes; the user of this machine when absent."),
} as const;

export const unfreezeConfig = { ...placeFields, ...scopeFields } as const;

export const freezesConfig = placeFields;

export const historyConfig = {
  redisUrl: { ...redisUrl, meta: { ...redisUrl.meta, defaultText: "none; required" } },
  since: scope(
    "since",
    "TIME",
    "First time: 2026-01-31T18:00:00Z, 2h for the last two hours, or the id of a line to continue after it.",
  ),
  cluster: scope("cluster", "NAME", "Only this cluster, by name or id."),
  inNamespace: scope("namespace", "NAME", "Only this namespace."),
  object: scope("name", "NAME", "Only the workload or source of this name."),
  limit: scope("limit", "COUNT", "Maximum number of lines; 10000 when absent."),
} as const;

function envOf(flag: string): string {
  return `FLEET_RELOADER_CLI_${flag.toUpperCase().replaceAll("-", "_")}`;
}
