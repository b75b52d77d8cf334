import { connectionFields } from "@fleet-reloader/runtime/config/fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { boolean, textValue } from "@fleet-reloader/runtime/config/types";

const { kubeconfig, contexts, dataDir, redisUrl } = connectionFields;

/** Where the freeze document is. */
const placeFields = { kubeconfig, contexts, dataDir, ...freezeFields } as const;

const scope = (flag: string, placeholder: string, description: string) => ({
  schema: textValue(""),
  meta: { flag, env: cliEnvOf(flag), placeholder, description, defaultText: "none" },
});

/** What is frozen; every given field has to match. */
const freezeScopeFields = {
  fleet: {
    schema: boolean(false),
    meta: {
      flag: "fleet",
      env: cliEnvOf("fleet"),
      placeholder: "BOOL",
      isSwitch: true,
      description: "The whole fleet.",
    },
  },
  cluster: scope("cluster", "NAME", "A cluster, by name or id."),
  clusterSelector: scope("cluster-selector", "SELECTOR", "Clusters whose registration has matching labels."),
  inNamespace: scope("namespace", "NAME", "A namespace."),
  workload: scope("workload", "KIND/NAME", "A workload, for example Deployment/api."),
  source: scope("source", "KIND/NAME", "A source, for example Secret/db."),
} as const;

export const freezeConfig = {
  ...placeFields,
  ...freezeScopeFields,
  reason: scope("reason", "TEXT", "Reason, shown to people."),
  until: scope(
    "until",
    "TIME",
    "End of the freeze: a time such as 2026-01-31T18:00:00Z, or a duration from now such as 2h or 2d.",
  ),
  redisUrl: {
    ...redisUrl,
    meta: {
      ...redisUrl.meta,
      description: "Redis of the fleet, which is asked what the freeze covers.",
      defaultText: "the embedded one of the data dir",
    },
  },
  by: scope("by", "NAME", "Name of the person who freezes. Without it, the user of this machine."),
} as const;

export const unfreezeConfig = { ...placeFields, ...freezeScopeFields } as const;

export const freezesConfig = placeFields;

export const historyConfig = {
  redisUrl: { ...redisUrl, meta: { ...redisUrl.meta, defaultText: "none; it is required" } },
  since: scope(
    "since",
    "TIME",
    "Start: a time such as 2026-01-31T18:00:00Z, an age such as 2h, or the id of a line to continue after it.",
  ),
  cluster: scope("cluster", "NAME", "Only this cluster, by name or id."),
  inNamespace: scope("namespace", "NAME", "Only this namespace."),
  object: scope("name", "NAME", "Only the workload or source of this name."),
  limit: scope("limit", "COUNT", "Maximum number of lines. Without it, 10000."),
} as const;

function cliEnvOf(flag: string): string {
  return `FLEET_RELOADER_CLI_${flag.toUpperCase().replaceAll("-", "_")}`;
}
