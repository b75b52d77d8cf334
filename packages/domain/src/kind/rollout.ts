import { markAnnotation } from "../annotation/own-keys.ts";
import { type JsonObject, jsonField, jsonText } from "../json.ts";
import { argoRolloutState } from "../rollout-state/custom.ts";
import { hasNewPods } from "../rollout-state/status.ts";
import type { RollWrite } from "../strategy/roll-write.ts";
import { type Annotations, annotationValue, type WorkloadRef } from "../workload/workload.ts";
import type { PlannedRoll, WorkloadKind } from "../workload/workload-kind.ts";
import { nameForRoll } from "./short-name.ts";

/** On a Rollout: `restart` recreates its pods without a new revision; any other value means a rollout. The peer's key. */
export const rolloutStrategyAnnotation = "reloader.stakater.com/rollout-strategy";

/**
 * On a Deployment that a Rollout refers to: the roll of ours that changed its template last. The mark on the template is not enough. It names a
 * content, and the same content can come back: by an undo of the Deployment, or because the pods got another content without a roll of ours in
 * between.
 */
export const lastRollAnnotation = "fleet-reloader.io/last-roll";

/** Argo's. A Rollout may refer to a Deployment for its template (`spec.workloadRef`). */
export const rollout: WorkloadKind = {
  kind: "Rollout",
  apiKind: "Rollout",
  group: "argoproj.io",
  version: "v1alpha1",
  plural: "rollouts",
  isOptional: true,
  patch: "merge",
  templatePath: ["spec", "template"],
  templateOwner: ownerOf,
  followsOwner: (annotations) => !isRestarted(annotations),
  hasNewPods,
  roll: rolloutRollOf,
  rolloutState: argoRolloutState,
};

function ownerOf(object: unknown): WorkloadRef | undefined {
  const reference = jsonField(object, "spec", "workloadRef");
  const name = jsonText(reference, "name");
  const namespace = jsonText(object, "metadata", "namespace");
  if (jsonField(reference, "kind") !== "Deployment" || name === undefined || namespace === undefined)
    return undefined;
  return { kind: "Deployment", namespace, name };
}

function isRestarted(annotations: Annotations): boolean {
  return annotationValue(annotations, rolloutStrategyAnnotation) === "restart";
}

function rolloutRollOf({ live, edit, mark, applied, nowMs, keyed }: PlannedRoll): RollWrite {
  const spec = jsonField(live.object, "spec");
  const isReferring = jsonField(spec, "workloadRef") !== undefined;
  // The template cannot be reached, so it cannot be changed. The pods can still be recreated.
  if (isRestarted(live.annotations) || (isReferring && live.templateOwner === undefined))
    return { type: "fields", fields: restartFields(jsonField(spec, "restartAt"), { applied, nowMs }) };
  const { templateOwner: owner } = live;
  if (owner === undefined) return { type: "template", edit };
  const name = nameForRoll(live.ref.name, "", [live.uid, applied.before ?? "", applied.after], keyed);
  // Every strategy writes the mark. If both are there, an earlier attempt changed the template and only the applied state is missing.
  const isThere =
    annotationValue(live.templateAnnotations, markAnnotation) === mark &&
    annotationValue(owner.annotations, lastRollAnnotation) === name;
  const marked = { ...edit, annotations: { ...edit.annotations, [markAnnotation]: mark } };
  return {
    type: "referenced-template",
    owner: owner.ref,
    resourceVersion: owner.resourceVersion,
    annotations: { [lastRollAnnotation]: name },
    edit: isThere ? undefined : marked,
  };
}

/**
 * Undefined when an earlier attempt restarted it: the applied state is written with the restart. A new attempt would write another time and
 * restart it again.
 */
function restartFields(
  before: unknown,
  { applied, nowMs }: Pick<PlannedRoll, "applied" | "nowMs">,
): JsonObject | undefined {
  const isThere = applied.isWritten && before !== undefined;
  return isThere ? undefined : { spec: { restartAt: restartAt(nowMs, before) } };
}

/**
 * The next whole second, and later than the last restart. Argo recreates pods that were made before it, and the times of pods are whole seconds
 * too.
 */
function restartAt(nowMs: number, before: unknown): string {
  const last = typeof before === "string" ? Date.parse(before) : Number.NaN;
  const next = Math.ceil(nowMs / 1000) * 1000;
  const at = Number.isNaN(last) ? next : Math.max(next, last + 1000);
  return new Date(at).toISOString().replace(".000Z", "Z");
}
