import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";

/** Identity of a cluster: the UID of its `kube-system` namespace, or a substitute where that may not be read. */
export type ClusterId = string;

/** The label in metrics of a cluster that has no known name here. */
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

/** The result of reconciling, when it did not end in a fault. */
export type Result = (Done | Again) & {
  /** Nothing was read from the cluster: the result does not show whether the cluster answers. */
  readonly isUnasked?: true;
};

/** The request is done. */
interface Done {
  readonly type: "done";
  readonly outcome: Outcome;
}

/** Not now: the request is handled again after this time. */
export interface Again {
  readonly type: "again";
  readonly afterMs: number;
  readonly reason: string;
  /** It is on hold, and not merely late: no worker stays up for it, and one is started when the hold ends. */
  readonly hold?: Hold;
}

/** Why a request may not be acted on, and until which wall time, if that is known. */
export interface Hold<Reason extends string = string> {
  readonly reason: Reason;
  readonly untilMs?: number | undefined;
  /**
   * Keys of the objects whose annotations freeze it, if that is the reason. For a declared freeze: the key of the object that the
   * workload refers to for its pod template, if it does.
   */
  readonly frozenBy?: readonly string[] | undefined;
  /** For people: who or what holds it, if this was known when the hold began. */
  readonly why?: string | undefined;
}

/** The answer of an admission for a hold. The request waits in the queue, and is asked about again after this time at the latest. */
export interface OnHold<Reason extends string = string> extends Hold<Reason> {
  readonly type: "hold";
  readonly afterMs: number;
}

/** The answer of an admission: the request may go on, or it is on hold. */
export type Verdict<Go = unknown, On extends OnHold = OnHold> = ({ readonly type: "go" } & Go) | On;

/** Puts a request on hold back into the queue, where `watchHolds` finds it. */
export function againWhenFree({ reason, afterMs, untilMs, frozenBy, why }: OnHold): Again {
  return { type: "again", afterMs, reason, hold: { reason, untilMs, frozenBy, why } };
}

/** `rolled`: the template was changed. `recorded`: only the applied state was written. `unchanged`: nothing was written. */
export type Outcome = "rolled" | "recorded" | "unchanged" | "gone" | "ignored";
