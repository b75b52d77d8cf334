import { parkReasons } from "./park-reasons.ts";

/**
 * Reasons that no other catalogue has, each with its meaning: of log lines, of metrics of parked requests and of queue entries. Faults have
 * their own codes.
 */
export const logReasons = [
  { reason: "FreezeIdle", meaning: "A declared freeze names an unregistered cluster and covers nothing." },
  {
    reason: "ScopeIdle",
    meaning:
      "A flag names a namespace that a cluster does not have, or selects none of its namespaces. Nothing is watched there.",
  },
  {
    reason: "RegistrationPaused",
    meaning: "The registration of a cluster is paused; the cluster is served when the pause ends.",
  },
  {
    reason: "RegistrationUnusable",
    meaning:
      "A registration cannot be used; `why` names object, key and mend. An earlier usable version stays in use.",
  },
  {
    reason: "ResourceAbsent",
    meaning: "The cluster does not have a kind of object. We check again later, and nothing waits for it.",
  },
  {
    reason: "StashUnreadable",
    meaning: "The stored spec of a Job that is being recreated cannot be read; it is left alone.",
  },
  {
    reason: "OldKeyForgotten",
    meaning:
      "A worker was started with --forget-old-keys: the applied state recorded with another key no longer counts.",
  },
  ...parkReasons,
  {
    reason: "AuditBody",
    meaning:
      "Audit events of a cluster contain Secrets or ConfigMaps. Nothing of them is kept; set the level Metadata for both in its audit policy.",
  },
  {
    reason: "HintMissed",
    meaning:
      "A list found changes that no audit event told of within two minutes. They are published; the cluster is Degraded until a list finds none.",
  },
] as const;
