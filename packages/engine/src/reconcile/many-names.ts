import { type AnnotationProblem, annotationProblem } from "@fleet-reloader/domain/annotation/problem";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import { annotationValue } from "@fleet-reloader/domain/workload/workload";
import type { Reading } from "./reading.ts";

/** More names than any known workload needs. An applied state of so many sources still names each of them. */
const namesMax = 500;

/** Patterns that match very many names. All matched sources are read when one of them changes, which becomes slow. */
export function manyNames(
  { interest, live }: Pick<Reading, "interest" | "live">,
  observedSources: readonly ObservedSource[],
): readonly AnnotationProblem[] {
  const { dialect, kinds } = interest.optIn;
  return interest.patternKinds.flatMap((kind) => {
    const count = observedSources.filter(
      ({ ref, patterns }) => ref.kind === kind && patterns.length > 0,
    ).length;
    if (count <= namesMax) return [];
    const annotation = dialect.kinds[kind].named;
    const annotations = kinds[kind].origin === "workload" ? live.annotations : live.templateAnnotations;
    return [
      annotationProblem(
        annotation,
        annotationValue(annotations, annotation) ?? "",
        `matches ${count} sources, each of which rolls the workload, and all are read when one changes`,
        `write a narrower pattern: it should match no more than ${namesMax} names`,
      ),
    ];
  });
}
