import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { describeScope } from "@fleet-reloader/domain/hold/freeze";
import { formatLabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import { objectAddress, type PlacedObject } from "../place.ts";
import type { ActOffer, OfferedPlace } from "./act-offer.ts";

type ShownFreeze = ApiAnswer<"status">["freezes"][number];

/** Checks a workload now. */
export function retryOffer(object: PlacedObject): ActOffer {
  return {
    act: "retry",
    label: "Check now",
    subject: actSubject(object),
    body: bodyOf(object),
    seenAt: objectAddress("workloads", object),
  };
}

/** Discards the failed roll of a workload. `since`: a time before it failed. */
export function discardOffer(object: PlacedObject, since: string): ActOffer {
  return {
    act: "discard",
    label: "Discard",
    subject: `the failed roll of ${actSubject(object)}`,
    body: Object.assign(bodyOf(object), { since }),
    seenAt: "/queue",
  };
}

/** Discards all rolls that failed for this reason, in all clusters. */
export function discardAllOffer(cause: string, since: string): ActOffer {
  return {
    act: "discard",
    label: "Discard …",
    subject: `what failed by ${cause}`,
    body: { cause, since },
    seenAt: "/queue",
  };
}

/** Checks all users of a source now. */
export function replayOffer(object: PlacedObject): ActOffer {
  return {
    act: "replay",
    label: "Check all users of it",
    subject: actSubject(object),
    body: bodyOf(object),
    seenAt: objectAddress("sources", object),
  };
}

/** Closes the breaker of a workload or a source. */
export function releaseOffer(list: "workloads" | "sources", object: PlacedObject): ActOffer {
  return {
    act: "release",
    label: "Release",
    subject: actSubject(object),
    body: bodyOf(object),
    seenAt: objectAddress(list, object),
  };
}

/** Freezes a workload, or the users of a source. */
export function freezeObjectOffer(type: "workload" | "source", object: PlacedObject): ActOffer {
  const { cluster, kind, name, namespace } = object;
  return {
    act: "freeze",
    label: "Freeze …",
    subject: actSubject(object),
    body: { cluster, namespace, [type]: `${kind}/${name}` },
    seenAt: "/held",
  };
}

/** Freezes a cluster. */
export function freezeClusterOffer(cluster: string): ActOffer {
  return {
    act: "freeze",
    label: "Freeze …",
    subject: `cluster ${cluster}`,
    body: { cluster },
    seenAt: "/held",
  };
}

/** Freezes everything. */
export const freezeFleetOffer: ActOffer = {
  act: "freeze",
  label: "Freeze …",
  subject: "the fleet",
  body: { fleet: true },
  seenAt: "/held",
};

/** Lifts a freeze. */
export function liftOffer({ scope }: Pick<ShownFreeze, "scope">): ActOffer {
  const { cluster, clusterSelector, namespace, source, workload } = scope;
  const fields = {
    cluster,
    clusterSelector: clusterSelector === undefined ? undefined : formatLabelSelector(clusterSelector),
    namespace,
    workload: workload === undefined ? undefined : `${workload.kind}/${workload.name}`,
    source: source === undefined ? undefined : `${source.kind}/${source.name}`,
  };
  const given = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    act: "lift",
    label: "Lift",
    subject: describeScope(scope),
    body: given.length === 0 ? { fleet: true } : Object.fromEntries(given),
    seenAt: "/held",
  };
}

/** The place in which lifting the freeze needs a permission. */
export function placeOfScope({ cluster = "", namespace = "" }: ShownFreeze["scope"]): OfferedPlace {
  return { cluster, namespace };
}

function bodyOf({ cluster, kind, name, namespace }: PlacedObject): ActOffer["body"] {
  return { object: `${kind}/${name}`, cluster, namespace };
}

function actSubject({ cluster, kind, name, namespace }: PlacedObject): string {
  return `${kind} ${namespace}/${name} on ${cluster}`;
}
