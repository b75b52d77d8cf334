import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";

/** Identity of a cluster: the UID of its `kube-system` namespace, or what stands for it where that may not be read. */
export type ClusterId = string;

/** In metrics, whose label is the name that people have: a cluster that is not known here has none. */
export const unknownCluster = "unknown";

/** The identity of one thing to reconcile. A request carries nothing else: content is read when it is handled. */
export interface Request {
  readonly cluster: ClusterId;
  readonly workload: WorkloadRef;
}

/** Names a request in memory. It begins with the cluster and a slash. */
export function requestKey({ cluster, workload }: Request): string {
  return `${cluster}/${workloadKey(workload)}`;
}

/** What reconciling came to, when it did not end in a fault. */
export type Result = (Done | Again) & {
  /** The cluster was asked nothing: the result does not tell whether it answers. */
  readonly isUnasked?: true;
};

/** It is over. */
interface Done {
  readonly type: "done";
  readonly outcome: Outcome;
}

/** Not now: it is looked at again after this long. */
export interface Again {
  readonly type: "again";
  readonly afterMs: number;
  readonly reason: string;
  /** Held, and not merely late: no worker is kept up for it, and one is woken when the hold ends. */
  readonly hold?: Hold;
}

/** Why a request may not be acted on, and until which wall time, where that is known. */
export interface Hold<Reason extends string = string> {
  readonly reason: Reason;
  readonly untilMs?: number | undefined;
  /**
   * Keys of the objects whose annotations freeze it, where that is the reason. Where the reason is a declared freeze: the key of the object
   * that the workload refers to for its pod template, if it does.
   */
  readonly frozenBy?: readonly string[] | undefined;
  /** For people: who or what holds it, where this was known when the hold began. */
  readonly why?: string | undefined;
}

/** A hold as an admission answers it. The request waits in the queue, and is asked about again after this long at the latest. */
export interface OnHold<Reason extends string = string> extends Hold<Reason> {
  readonly type: "hold";
  readonly afterMs: number;
}

/** What an admission answers: the request may go on, or it is on hold. */
export type Verdict<Go = unknown, On extends OnHold = OnHold> = ({ readonly type: "go" } & Go) | On;

/** Puts a request on hold back into the queue, where `watchHolds` finds it. */
export function againWhenFree({ reason, afterMs, untilMs, frozenBy, why }: OnHold): Again {
  return { type: "again", afterMs, reason, hold: { reason, untilMs, frozenBy, why } };
}

/** `rolled`: the template was changed. `recorded`: only our note on the workload. `unchanged`: nothing was written. */
export type Outcome = "rolled" | "recorded" | "unchanged" | "gone" | "ignored";
