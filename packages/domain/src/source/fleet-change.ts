import { utf8 } from "../bytes.ts";
import { framed, type KeyedDigest, markOf } from "./mark.ts";
import type { SourceContent, SourceRef } from "./source.ts";

/**
 * The id of one content of one source, `f1-` and 128 bit as base64url. It is the same on every cluster where a source of this kind, namespace
 * and name has this content, under the same key. It is derived from the mark with a label of its own, so it equals no mark. Only a holder of the
 * key can tell which content or mark it belongs to (I4).
 */
export type FleetChangeId = string;

const fleetChangePrefix = "f1-";

/** Whether an id stands for a change on all clusters. The id of a change in one cluster begins with that cluster's id. */
export function isFleetChange(change: string): boolean {
  return change.startsWith(fleetChangePrefix);
}

/** The id of the whole content of a source, for any keys that a workload uses. */
export function fleetChangeOf(source: SourceRef, content: SourceContent, keyed: KeyedDigest): FleetChangeId {
  const whole = markOf(source, content, "all", keyed);
  // No source kind is called "FleetChange", so no mark is made of these bytes.
  return `${fleetChangePrefix}${keyed.digest(framed(utf8("FleetChange"), utf8(whole)))}`;
}
