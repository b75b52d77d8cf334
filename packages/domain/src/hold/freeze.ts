import type { SourceRef } from "../source/source.ts";
import {
  formatLabelSelector,
  type LabelSelector,
  type Labels,
  matchesSelector,
} from "../workload/label-selector.ts";
import { type Annotations, annotationValue, type WorkloadRef } from "../workload/workload.ts";

/** On a workload or a source: nothing is rolled for it. `false` says that it is not frozen; any other text is the reason. */
export const freezeAnnotation = "fleet-reloader.io/freeze";

/** What is frozen. All that is said has to fit; nothing said is the whole fleet. */
export interface FreezeScope {
  /** Name or id of a cluster. */
  readonly cluster?: string;
  /** Clusters by the labels they were registered with. */
  readonly clusterSelector?: LabelSelector;
  readonly namespace?: string;
  readonly workload?: Pick<WorkloadRef, "kind" | "name">;
  readonly source?: Pick<SourceRef, "kind" | "name">;
}

/** Somebody's wish that nothing is rolled. */
export interface Freeze {
  readonly scope: FreezeScope;
  readonly reason: string;
  readonly by: string;
  /** It ends by itself then; absent: when somebody takes it away. */
  readonly untilMs?: number;
}

/** What is about to be rolled, and for which sources. */
export interface FreezeTarget {
  readonly cluster: string;
  readonly clusterName: string;
  readonly clusterLabels: Labels;
  readonly workload: WorkloadRef;
  /** The object that the workload refers to for its pod template: a freeze of that holds the workload too. */
  readonly templateOwner?: WorkloadRef | undefined;
  /** Those whose change is the reason of the roll; a source that is frozen and has not changed holds nothing. */
  readonly sources: readonly SourceRef[];
}

/** Whether a freeze has not ended by itself. Its document may name it for long after. */
export function isInForce({ untilMs }: Pick<Freeze, "untilMs">, nowMs: number): boolean {
  return untilMs === undefined || nowMs < untilMs;
}

/** The freeze that forbids a roll now; undefined when none does. Of several the one that lasts longest. */
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

/** Why an object says of itself that it is frozen; undefined when it does not. */
export function frozenByAnnotation(annotations: Annotations): string | undefined {
  const text = annotationValue(annotations, freezeAnnotation)?.trim();
  // Any other text is meant as a freeze: a text that is not understood must not let a roll through.
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

/** What holds everything while a document of freezes cannot be read, as a sentence for people. */
export function unreadableFreezesText(why: string): string {
  return `freezes cannot be read, and nothing is rolled: ${why}`;
}
