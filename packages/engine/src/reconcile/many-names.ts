import { type AnnotationProblem, annotationProblem } from "@fleet-reloader/domain/annotation/problem";
import type { ObservedSource } from "@fleet-reloader/domain/plan/observed-source";
import { namingAnnotation, type Reading } from "./reading.ts";

/** More names than any known workload needs. An applied state of so many sources still names each of them. */
const namesMax = 500;

/** Finds annotations that lead to very many sources, by names or patterns. All of them are read when one changes, which becomes slow. */
export function manyNames(
  reading: Pick<Reading, "interest" | "live">,
  observedSources: readonly ObservedSource[],
): readonly AnnotationProblem[] {
  const { kinds } = reading.interest.optIn;
  const named = Map.groupBy(
    observedSources.filter(({ mode }) => mode === "named"),
    ({ ref }) => ref.kind,
  );
  return [...named].flatMap(([kind, { length }]) => {
    if (length <= namesMax) return [];
    const { annotation, value } = namingAnnotation(reading, kind);
    const leads = kinds[kind].named.patterns.length > 0 ? "matches" : "names";
    return [
      annotationProblem(
        annotation,
        value,
        `${leads} ${length} sources, each of which rolls the workload, and all are read when one changes`,
        `write fewer names or narrower patterns: they should lead to no more than ${namesMax} sources`,
      ),
    ];
  });
}
