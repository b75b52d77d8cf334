import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";

/** Identity of a cluster: the UID of its `kube-system` namespace, or what stands for it where that may not be read. */
export type ClusterId = string;

/** In metrics, whose label is the name that people have: a cluster that is not known here has none. */
export const unknownCluster = "unknown";

/** The identity of one thing to reconcile. A request carries nothing else: content is read when it is handled. */
export interface Request {
  readonly cluster: ClusterId;
  readonly workload: WorkloadRef;
}

/** What reconciling came to, when it did not end in a fault. */
export type Result = { readonly type: "done"; readonly outcome: Outcome } | Again;

/** Not now: it is looked at again after this long. */
export interface Again {
  readonly type: "again";
  readonly afterMs: number;
  readonly reason: string;
  /** Held, and not merely late: no worker is kept up for it, and one is woken when the hold ends. */
  readonly hold?: Hold;
}

/** Why a request may not be acted on, and until which wall time, where that is known. */
export interface Hold {
  readonly reason: string;
  readonly untilMs?: number;
}

/** `rolled`: the template was changed. `recorded`: only our note on the workload. `unchanged`: nothing was written. */
export type Outcome = "rolled" | "recorded" | "unchanged" | "gone" | "ignored";
