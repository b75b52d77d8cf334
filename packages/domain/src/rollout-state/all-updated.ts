import { jsonField } from "../json.ts";
import { numberOf, readStatus } from "./status.ts";

/**
 * Whether all pods there are were made from the pod template as it is now, ready or not. Of a kind whose status does not count them,
 * nothing is known.
 */
export function areAllUpdated(object: unknown): boolean {
  const { status, isObserved, count } = readStatus(object);
  const updated =
    numberOf(jsonField(status, "updatedReplicas")) ?? numberOf(jsonField(status, "updatedNumberScheduled"));
  if (!isObserved || updated === undefined) return false;
  return updated >= Math.max(count("replicas"), count("currentNumberScheduled"));
}
