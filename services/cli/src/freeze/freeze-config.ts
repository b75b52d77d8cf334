import { connectionFields } from "@fleet-reloader/runtime/config/fields";
import { freezeFields } from "@fleet-reloader/runtime/config/fields/freeze-fields";
import { answerFlag } from "../frame/answer.ts";
import { namespaceFlag, switchFlag, textFlag } from "../frame/cli-fields.ts";
import { redisLoginFields } from "../redis/redis-login.ts";
import { serverFields } from "../server/server-fields.ts";

const { kubeconfig, contexts, dataDir, redisUrl } = connectionFields;

/** Where the freeze document is. */
const placeFields = { ...serverFields, kubeconfig, contexts, dataDir, ...freezeFields } as const;

/** What is frozen; every given field has to match. */
const freezeScopeFields = {
  fleet: switchFlag("fleet", "The whole fleet."),
  cluster: textFlag("cluster", "NAME", "A cluster, by name or id."),
  clusterSelector: textFlag(
    "cluster-selector",
    "SELECTOR",
    "Clusters whose registration has matching labels.",
  ),
  inNamespace: namespaceFlag("A namespace."),
  workload: textFlag("workload", "KIND/NAME", "A workload, for example Deployment/api."),
  source: textFlag("source", "KIND/NAME", "A source, for example Secret/db."),
} as const;

/** Who knows what a freeze covers. */
const coverageFields = {
  redisUrl: {
    ...redisUrl,
    meta: {
      ...redisUrl.meta,
      description: "Redis of the fleet, which is asked what the freeze covers.",
      defaultText: "the embedded one of the data dir",
    },
  },
  ...redisLoginFields,
} as const;

export const freezeConfig = {
  ...placeFields,
  ...freezeScopeFields,
  reason: textFlag("reason", "TEXT", "Reason, shown to people. Required with --server."),
  until: textFlag(
    "until",
    "TIME",
    "End of the freeze: a time such as 2026-01-31T18:00:00Z, or a duration from now such as 2h or 2d.",
  ),
  ...coverageFields,
  by: textFlag(
    "by",
    "NAME",
    "Name of the person who freezes. Without it, the user of this machine. With --server it is the owner of the token.",
  ),
} as const;

export const unfreezeConfig = {
  ...placeFields,
  ...freezeScopeFields,
  reason: textFlag(
    "reason",
    "TEXT",
    "Why; it is recorded in the history. Required with --server, and without effect otherwise.",
  ),
} as const;

export const freezesConfig = { ...placeFields, ...coverageFields, output: answerFlag } as const;
