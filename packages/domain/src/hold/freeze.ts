import type { SourceRef } from "../source/source.ts";
import {
  formatLabelSelector,
  type LabelSelector,
  type Labels,
  matchesSelector,
} from "../workload/label-selector.ts";
import { type Annotations, annotationValue, type WorkloadRef } from "../workload/workload.ts";

/** On a workload or a source: freezes it. `false` means not frozen; any other text is the reason. */
export const freezeAnnotation = "fleet-reloader.io/freeze";

/** What is frozen. All given fields have to match; a scope without fields is the whole fleet. */
export interface FreezeScope {
  /** Name or id of a cluster. */
  readonly cluster?: string;
  /** Clusters by the labels they were registered with. */
  readonly clusterSelector?: LabelSelector;
  readonly namespace?: string;
  readonly workload?: Pick<WorkloadRef, "kind" | "name">;
  readonly source?: Pick<SourceRef, "kind" | "name">;
}

/** A declaration that nothing in its scope may be rolled. */
export interface Freeze {
  readonly scope: FreezeScope;
  readonly reason: string;
  readonly by: string;
  /** The time at which it ends by itself. Absent: it lasts until somebody removes it. */
  readonly untilMs?: number;
}

/** What is about to be rolled, and for which sources. */
export interface FreezeTarget {
  readonly cluster: string;
  readonly clusterName: string;
  readonly clusterLabels: Labels;
  readonly workload: WorkloadRef;
  /** The object that has the workload's pod template: a freeze of that object holds the workload too. */
  readonly templateOwner?: WorkloadRef | undefined;
  /** The sources whose change causes the roll. A frozen source that has not changed holds nothing. */
  readonly sources: readonly SourceRef[];
}

/** Whether a freeze has not expired. Its document may list it long after that. */
export function isInForce({ untilMs }: Pick<Freeze, "untilMs">, nowMs: number): boolean {
  return untilMs === undefined || nowMs < untilMs;
}

/** The freeze that forbids a roll now; undefined when none does. If several do, the one that lasts longest. */
export function freezeOf(
  freezes: readonly Freeze[],
  target: FreezeTarget,
  nowMs: number,
): Freeze | undefined {
  const inForce = freezes.filter((freeze) => isInForce(freeze, nowMs) && isCovered(freeze.scope, target));
  return inForce.reduce<Freeze | undefined>(
    (longest, freeze) =>
      longest === undefined || freezeEndOf(freeze) > freezeEndOf(longest) ? freeze : longest,
    undefined,
  );
}

/** The reason in an object's freeze annotation; undefined when the object is not frozen. */
export function frozenByAnnotation(annotations: Annotations): string | undefined {
  const text = annotationValue(annotations, freezeAnnotation)?.trim();
  // Any other text counts as a freeze: a text that we do not understand must not let a roll through.
  return text === undefined || text === "" || text === "false" ? undefined : text;
}

/** What is frozen, in one line. */
export function describeScope(scope: FreezeScope): string {
  const { cluster, clusterSelector, namespace, workload, source } = scope;
  const parts = [
    ...(cluster === undefined ? [] : [`cluster ${cluster}`]),
    ...(clusterSelector === undefined ? [] : [`clusters with ${formatLabelSelector(clusterSelector)}`]),
    ...(namespace === undefined ? [] : [`namespace ${namespace}`]),
    ...(workload === undefined ? [] : [`workload ${workload.kind}/${workload.name}`]),
    ...(source === undefined ? [] : [`source ${source.kind}/${source.name}`]),
  ];
  return parts.length === 0 ? "the fleet" : parts.join(", ");
}

function isCovered(scope: FreezeScope, target: FreezeTarget): boolean {
  const { cluster, clusterSelector, namespace, workload, source } = scope;
  return (
    (cluster === undefined || cluster === target.cluster || cluster === target.clusterName) &&
    (clusterSelector === undefined || matchesSelector(clusterSelector, target.clusterLabels)) &&
    (namespace === undefined || namespace === target.workload.namespace) &&
    (workload === undefined || isOneOf(workload, [target.workload, target.templateOwner])) &&
    (source === undefined ||
      target.sources.some(({ kind, name }) => kind === source.kind && name === source.name))
  );
}

/** Whether a scope names one of these objects, all of the same namespace. */
export function isOneOf(
  { kind, name }: Pick<WorkloadRef, "kind" | "name">,
  refs: readonly (WorkloadRef | undefined)[],
): boolean {
  return refs.some((ref) => ref?.kind === kind && ref.name === name);
}

function freezeEndOf({ untilMs }: Freeze): number {
  return untilMs ?? Number.POSITIVE_INFINITY;
}

/** A sentence for people: every roll is held because the document of freezes cannot be read. */
export function unreadableFreezesText(why: string): string {
  return `freezes cannot be read, and nothing is rolled: ${why}`;
}
