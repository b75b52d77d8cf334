import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { EventText } from "./event-text.ts";

export interface EventObject {
  /** Name of the Event itself: a repeat under the same name is refused by the API server, and that is success. */
  readonly name: string;
  readonly workload: WorkloadRef;
  readonly kind: WorkloadKind;
  readonly uid: string;
  readonly text: EventText;
  /** The process of ours that reports it. */
  readonly instance: string;
  readonly atMs: number;
}

/** A core/v1 Event, filled in as client-go's recorder does, so that `kubectl describe` shows it at its workload. */
export function eventBody({ name, workload, kind, uid, text, instance, atMs }: EventObject) {
  const time = eventTime(atMs);
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name, namespace: workload.namespace },
    involvedObject: referenceTo(workload, kind, uid),
    type: text.type,
    reason: text.reason,
    message: text.message,
    source: { component: text.component },
    reportingComponent: text.component,
    reportingInstance: instance,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

function referenceTo(
  { namespace, name }: WorkloadRef,
  { apiKind, group, version }: WorkloadKind,
  uid: string,
) {
  return { apiVersion: group === "" ? version : `${group}/${version}`, kind: apiKind, namespace, name, uid };
}

/** RFC 3339 in whole seconds: all that a `metav1.Time` holds. */
export function eventTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`;
}

/** `workload.suffix`, as client-go names them; a name has room for 253 characters. */
export function eventName(workload: WorkloadRef, suffix: string): string {
  return `${workload.name.slice(0, 252 - suffix.length).replace(/[.-]+$/, "")}.${suffix}`;
}
