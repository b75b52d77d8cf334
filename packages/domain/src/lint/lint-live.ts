import type { AnnotationDialect } from "../annotation/dialect.ts";
import type { OptIn } from "../annotation/opt-in.ts";
import { isJsonObject } from "../json.ts";
import type { WorkloadKind } from "../workload/workload-kind.ts";
import { lintKeySpelling, lintWorkloadKeys } from "./annotation-keys.ts";
import type { LintFinding } from "./finding.ts";
import { lintedAlone, lintedSourceKinds } from "./linted-workload.ts";
import { lintAutoReload, lintPatternTexts } from "./named-sources.ts";
import { hasOptedIn, optionalsWithoutEffect, subPathMounts } from "./pod-references.ts";
import type { LintRuleId } from "./rules.ts";

/** Rules that need only the workload itself. The other rules need to know which sources exist, or repeat what an Event says. */
export const liveRules = [
  ...(["annotation-misplaced", "annotation-unknown", "list-separator", "mount-by-subpath"] as const),
  ...(["nothing-to-reload", "optional-without-effect", "pattern-anchors"] as const),
] satisfies readonly LintRuleId[];

/** A workload as the API server has it, with what it opts in to. */
export interface LiveLintInput {
  readonly object: unknown;
  readonly kind: WorkloadKind;
  readonly optIn: OptIn;
  readonly dialect: AnnotationDialect;
}

/**
 * The findings about a live workload that are certain without any other object; none for a workload that opts in to nothing. It matches no
 * pattern where that could take long.
 */
export function lintLive({ object, kind, optIn, dialect }: LiveLintInput): readonly LintFinding[] {
  if (!isJsonObject(object) || !hasOptedIn({ optIn })) return [];
  // The API server sends the items of a list without apiVersion and kind.
  const typed = { ...object, apiVersion: `${kind.group}/${kind.version}`, kind: kind.apiKind };
  const manifest = { file: "", object: typed, positionOf: () => ({ line: 0, column: 0 }) };
  const workload = lintedAlone(manifest, kind, { dialect, optIn });
  const found = [
    ...lintKeySpelling(manifest, workload.templatePath, dialect),
    ...lintWorkloadKeys(workload),
    ...lintPatternTexts(workload),
    ...lintAutoReload(workload),
    ...(workload.hasPods ? optionalsWithoutEffect(workload) : []),
    ...(workload.hasPods && !isOpen(optIn) ? subPathMounts(workload) : []),
  ];
  const told: ReadonlySet<LintRuleId> = new Set(liveRules);
  return found.filter(({ rule }) => told.has(rule));
}

/** Whether the annotations of sources, or patterns that take time to match, decide what it covers. */
function isOpen({ kinds }: OptIn): boolean {
  return lintedSourceKinds.some((kind) => kinds[kind].search || kinds[kind].named.patterns.length > 0);
}
