import type { AnnotationDialect } from "@fleet-reloader/domain/annotation/dialect";
import { parseGoBool } from "@fleet-reloader/domain/annotation/go-bool";
import type { OptIn } from "@fleet-reloader/domain/annotation/opt-in";
import {
  debounceAnnotation,
  maxWaitAnnotation,
  strategyAnnotation,
} from "@fleet-reloader/domain/annotation/own-keys";
import { freezeAnnotation } from "@fleet-reloader/domain/hold/freeze";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import { annotationValue } from "@fleet-reloader/domain/workload/workload";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { OptInClause } from "./explanation.ts";

/** A line in a terminal has less room than an annotation. */
const clauseValueMax = 128;

/** The opt-in annotations of the workload, each with its meaning. Those without effect are left out. */
export function optInClauses(
  workload: Pick<LiveWorkload, "annotations" | "templateAnnotations">,
  optIn: OptIn,
  kinds: readonly SourceKind[],
): readonly OptInClause[] {
  const { dialect } = optIn;
  const found: OptInClause[] = [];
  const add = (on: "workload" | "template", name: string, means: (value: string) => string) => {
    const annotations = on === "workload" ? workload.annotations : workload.templateAnnotations;
    const value = annotationValue(annotations, name);
    const isNew = !found.some((clause) => clause.name === name && clause.on === on);
    if (value !== undefined && isNew)
      found.push({ name, value: clauseValue(value), on, means: means(value) });
  };
  for (const kind of kinds) {
    const { origin } = optIn.kinds[kind];
    add(origin, dialect.auto, (value) => autoMeaning(value, "source"));
    add(origin, dialect.search, (value) => searchMeaning(value, dialect));
    add(origin, dialect.kinds[kind].auto, (value) => autoMeaning(value, kind));
    add(origin, dialect.kinds[kind].named, () => `reloads for the ${kind}s of this list, referenced or not`);
    add("workload", dialect.kinds[kind].exclude, () => `never reloads for the ${kind}s of this list`);
  }
  for (const [name, means] of ownMeanings(dialect)) add("workload", name, () => means);
  const isAll = kinds.some((kind) => optIn.kinds[kind].autoReloadAll);
  return isAll ? [...found, autoReloadAllClause] : found;
}

const autoReloadAllClause: OptInClause = {
  name: "--auto-reload-all",
  value: "true",
  on: "flag",
  means: "reloads workloads without an auto annotation for every source that they reference",
};

function ownMeanings(dialect: AnnotationDialect): readonly (readonly [string, string])[] {
  return [
    [debounceAnnotation, "waits until its sources have not changed for this long"],
    [maxWaitAnnotation, "waits no longer than this"],
    [strategyAnnotation, "sets how a roll is written"],
    [dialect.pausePeriod, "pauses the Deployment for this long with its first change"],
    [
      freezeAnnotation,
      "freezes the workload; the value is the reason, and false means that it is not frozen",
    ],
  ];
}

function autoMeaning(value: string, what: string): string {
  return parseGoBool(value) === true
    ? `reloads for every ${what} that its pod template references`
    : "asks for nothing";
}

function searchMeaning(value: string, { match }: AnnotationDialect): string {
  return value === "true"
    ? `reloads for every source that its pod template references and that has ${match}: "true"`
    : "asks for nothing";
}

function clauseValue(value: string): string {
  return value.length > clauseValueMax ? `${value.slice(0, clauseValueMax)}…` : value;
}
