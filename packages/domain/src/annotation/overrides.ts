import type { Debounce } from "../debounce.ts";
import { parseDuration } from "../duration.ts";
import { isReloadStrategy, type ReloadStrategy } from "../strategy/reload-strategy.ts";
import { type Annotations, annotationValue } from "../workload/workload.ts";
import { debounceAnnotation, maxWaitAnnotation, strategyAnnotation } from "./own-keys.ts";
import { type AnnotationProblem, annotationProblem } from "./problem.ts";

/** The settings that a workload overrides. An absent field keeps its setting. */
export interface Overrides extends Partial<Debounce> {
  readonly strategy?: ReloadStrategy;
}

/** Reads our own annotations from the metadata of a workload. An unreadable one is reported as a problem and overrides nothing. */
export function readOverrides(annotations: Annotations): {
  readonly overrides: Overrides;
  readonly problems: readonly AnnotationProblem[];
} {
  const quietPeriod = readDuration(annotations, debounceAnnotation);
  const maxWait = readDuration(annotations, maxWaitAnnotation);
  const strategy = readStrategy(annotations);
  return {
    overrides: {
      ...(quietPeriod.value === undefined ? {} : { quietPeriodMs: quietPeriod.value }),
      ...(maxWait.value === undefined ? {} : { maxWaitMs: maxWait.value }),
      ...(strategy.value === undefined ? {} : { strategy: strategy.value }),
    },
    problems: [...quietPeriod.problems, ...maxWait.problems, ...strategy.problems],
  };
}

interface Read<T> {
  readonly value?: T;
  readonly problems: readonly AnnotationProblem[];
}

function readDuration(annotations: Annotations, key: string): Read<number> {
  const text = annotationValue(annotations, key);
  if (text === undefined) return { problems: [] };
  const value = parseDuration(text);
  if (value !== undefined && value >= 0) return { value, problems: [] };
  const problem =
    value === undefined ? "is not a duration; the default is used" : "is negative; the default is used";
  return {
    problems: [annotationProblem(key, text, problem, 'write a duration such as "30s", "1m30s" or "0"')],
  };
}

function readStrategy(annotations: Annotations): Read<ReloadStrategy> {
  const text = annotationValue(annotations, strategyAnnotation);
  if (text === undefined) return { problems: [] };
  if (isReloadStrategy(text)) return { value: text, problems: [] };
  const problem = "is not a strategy; the default is used";
  return {
    problems: [annotationProblem(strategyAnnotation, text, problem, 'write "annotations" or "env-vars"')],
  };
}
