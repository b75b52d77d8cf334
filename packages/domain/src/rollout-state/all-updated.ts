import { jsonField } from "../json.ts";
import { numberOf, readStatus } from "./status.ts";

/** Whether all existing pods were made from the current pod template, ready or not. False for a kind whose status does not count them. */
export function areAllUpdated(object: unknown): boolean {
  const { status, isObserved, count } = readStatus(object);
  const updated =
    numberOf(jsonField(status, "updatedReplicas")) ?? numberOf(jsonField(status, "updatedNumberScheduled"));
  if (!isObserved || updated === undefined) return false;
  return updated >= Math.max(count("replicas"), count("currentNumberScheduled"));
}
