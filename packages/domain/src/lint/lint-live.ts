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

/** Rules that say something of a workload alone. The others ask which sources there are, or say what an Event says already. */
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
 * The findings of lint about a live workload that are certain without any other object; none for a workload that opts in to nothing.
 * No pattern is matched where that could take long.
 */
export function lintLive({ object, kind, optIn, dialect }: LiveLintInput): readonly LintFinding[] {
  if (!isJsonObject(object) || !hasOptedIn({ optIn })) return [];
  // Items of a list have no type.
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

/** Whether what it covers depends on annotations of sources, or on patterns that take time to match. */
function isOpen({ kinds }: OptIn): boolean {
  return lintedSourceKinds.some((kind) => kinds[kind].search || kinds[kind].named.patterns.length > 0);
}
