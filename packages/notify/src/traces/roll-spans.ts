import { sourceKey } from "@fleet-reloader/domain/source/source";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type {
  TracedChange,
  TracedRoll,
  TracedRollout,
  TracedWorkload,
} from "@fleet-reloader/engine/history/tracer";
import { type Span, type SpanIdentity, spanIdentity } from "./span.ts";

/** The spans of the changes that caused a roll: from the write to the watch event. Rolls of several workloads share them. */
export function changeSpans({ changes, cluster, clusterName, seenAtMs }: TracedRoll): readonly Span[] {
  return changes.flatMap(({ source, writtenAtMs }) => {
    const identity = changeIdentity(source);
    if (identity === undefined) return [];
    return {
      traceId: identity.traceId,
      spanId: identity.spanId,
      name: "change",
      beganAtMs: Math.min(writtenAtMs ?? seenAtMs, seenAtMs),
      endedAtMs: seenAtMs,
      attributes: {
        "k8s.cluster.name": clusterName,
        "k8s.cluster.uid": cluster,
        "k8s.namespace.name": source.namespace,
        "fleet_reloader.source": sourceKey(source),
      },
      links: [],
    };
  });
}

/**
 * The spans of a roll and its two stages: the wait until a worker takes it, and the work until it is written. It links to the changes that
 * caused it.
 */
export function rollSpans(roll: TracedRoll): readonly Span[] {
  const { changes, rolledAtMs, seenAtMs, strategy, takenAtMs } = roll;
  const { traceId, spanId } = rollIdentity(roll);
  const attributes = {
    ...workloadAttributes(roll),
    "fleet_reloader.strategy": strategy,
    "fleet_reloader.reasons": [...new Set(changes.map(({ source }) => source.reason ?? ""))].sort().join(","),
  };
  const links = changes.flatMap(({ source }) => changeIdentity(source) ?? []);
  const stage = (name: string, beganAtMs: number, endedAtMs: number): Span => ({
    traceId,
    spanId: spanIdentity(traceId, name).spanId,
    parentSpanId: spanId,
    name,
    beganAtMs,
    endedAtMs,
    attributes: {},
    links: [],
  });
  return [
    { traceId, spanId, name: "roll", beganAtMs: seenAtMs, endedAtMs: rolledAtMs, attributes, links },
    stage("due", seenAtMs, takenAtMs),
    stage("patch", takenAtMs, rolledAtMs),
  ];
}

/** The span of a rollout, in the trace of its roll, whichever worker sees the end. */
export function rolloutSpan(rollout: TracedRollout): Span {
  const { endedAtMs, reason, result, rolledAtMs } = rollout;
  const { traceId, spanId: parentSpanId } = rollIdentity(rollout);
  const { spanId } = spanIdentity(traceId, "rollout");
  return {
    traceId,
    spanId,
    parentSpanId,
    name: "rollout",
    beganAtMs: rolledAtMs,
    endedAtMs,
    links: [],
    attributes: {
      ...workloadAttributes(rollout),
      "fleet_reloader.result": result,
      "fleet_reloader.reason": reason,
    },
    ...(result === "healthy" ? {} : { problem: reason }),
  };
}

/** Undefined when the version of the source is not known, for example after its deletion. */
function changeIdentity({ change }: TracedChange["source"]): SpanIdentity | undefined {
  return change === undefined ? undefined : spanIdentity("change", change);
}

function rollIdentity({ cluster, rolledAtMs, workload }: TracedWorkload): SpanIdentity {
  return spanIdentity("roll", cluster, workloadKey(workload), String(rolledAtMs));
}

function workloadAttributes({ cluster, clusterName, workload }: TracedWorkload) {
  return {
    "k8s.cluster.name": clusterName,
    "k8s.cluster.uid": cluster,
    "k8s.namespace.name": workload.namespace,
    "fleet_reloader.workload": workloadKey(workload),
  };
}
