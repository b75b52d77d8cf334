import { namesSource } from "../annotation/name-list.ts";
import type { OptIn } from "../annotation/opt-in.ts";
import type { Reference } from "../reference/collect.ts";
import { isHelmRelease, type SourceRef } from "../source/source.ts";
import { type Annotations, annotationValue } from "../workload/workload.ts";
import type { NoReason, YesReason } from "./reasons.ts";

/** How a source comes to count: `named` needs no reference, `auto` and `search` count what the pod template references. */
export type ReloadMode = "named" | "auto" | "search";

/** Whether a change of a source rolls a workload, and why. */
export type Decision =
  | { readonly reload: true; readonly mode: ReloadMode; readonly reason: YesReason }
  | { readonly reload: false; readonly reason: NoReason };

/** One source and one workload of the same namespace. Sources and workloads of different namespaces are never compared. */
export interface JudgeInput {
  readonly optIn: OptIn;
  readonly source: { readonly ref: SourceRef; readonly annotations: Annotations };
  /** How the pod template of the workload uses the source; `undefined` when it does not. */
  readonly reference: Reference | undefined;
  /** Whether the annotation names the source, if that is known already: matching thousands of patterns takes a while. */
  readonly isNamed?: boolean;
}

/**
 * Decides by the peer's procedure, in its order; the first hit wins (compat 1.4 steps 1 and 3 to 8). One rule comes before it: a Secret of a
 * Helm release never counts.
 */
export function judge({ optIn, source, reference, isNamed }: JudgeInput): Decision {
  const { dialect } = optIn;
  const kind = optIn.kinds[source.ref.kind];
  if (isHelmRelease(source.ref)) return no("HelmRelease");
  if (annotationValue(source.annotations, dialect.ignore) === "true") return no("SourceIgnored");
  if (kind.excluded.has(source.ref.name)) return no("SourceExcluded");
  if (isNamed ?? namesSource(kind.named, source.ref.name)) return yes("named", "NamedByAnnotation");
  const isMatch = kind.search && annotationValue(source.annotations, dialect.match) === "true";
  const decision = isMatch ? yes("search", "MatchedBySearch") : judgeAuto(optIn, source.ref);
  return decision.reload && reference === undefined ? no("NotReferenced") : decision;
}

/**
 * Decides for a workload whose pods follow the template of another object. A source that counts for that object already rolls the workload, so
 * it does not count here.
 */
export function judgeFollower(own: JudgeInput, owner: JudgeInput | undefined): Decision {
  const decision = judge(own);
  const isRolled = decision.reload && owner !== undefined && judge(owner).reload;
  return isRolled ? no("TemplateOwnerReloaded") : decision;
}

function judgeAuto(optIn: OptIn, source: SourceRef): Decision {
  const { auto, autoForKind, autoReloadAll, search } = optIn.kinds[source.kind];
  if (auto) return yes("auto", "AutoEnabled");
  if (autoForKind) return yes("auto", "AutoEnabledForKind");
  if (autoReloadAll) return yes("auto", "AutoReloadAll");
  return no(search ? "SourceNotMatched" : "NotOptedIn");
}

function yes(mode: ReloadMode, reason: YesReason): Decision {
  return { reload: true, mode, reason };
}

function no(reason: NoReason): Decision {
  return { reload: false, reason };
}
