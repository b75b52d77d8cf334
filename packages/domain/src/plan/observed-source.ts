import type { ReloadMode } from "../decision/judge.ts";
import type { Reference } from "../reference/collect.ts";
import type { ReferencedKeys } from "../reference/object-use.ts";
import type { SourceContent, SourceRef, SourceWrite } from "../source/source.ts";

/** One source that a workload has opted in to, as it is now. */
export interface ObservedSource {
  readonly ref: SourceRef;
  readonly mode: ReloadMode;
  /** How the pod template uses it; undefined for a source that is only named by an annotation. */
  readonly reference: Reference | undefined;
  /** Patterns in annotations, if only they lead to the source; empty for a source that is referenced or named in full. */
  readonly patterns: readonly string[];
  /**
   * Undefined: the source does not exist. `unseen`: it may exist, but it is not served, or nothing shows its content now. Its applied state then
   * stays as it is.
   */
  readonly live: LiveContent | "unseen" | undefined;
  /** The reason in its own freeze annotation; absent when it is not frozen. No plan depends on it. */
  readonly frozenBy?: string;
}

export interface LiveContent {
  readonly content: SourceContent;
  readonly createdAtSeconds: number;
  /** The last known write of its content. A write that only removes keys leaves no time. */
  readonly writtenAtSeconds: number;
  /**
   * The content was written again after the source was made, compared in whole seconds. If pods show the content: one of them shows another
   * content than at its start, or than another pod.
   */
  readonly isModified: boolean;
  readonly resourceVersion: string;
  /** Since when the source has this content, if the API server knows. If several objects show the source, the newest counts. */
  readonly asOfSeconds?: number;
  /** Who wrote it, for reports. No decision depends on it. */
  readonly write?: SourceWrite;
}

/**
 * The keys of the source that matter: those that references name, or all of them. If a source is both named by an annotation and referenced, the
 * references decide: a roll for a key that no pod reads would help nobody.
 */
export function keysThatMatter(observed: ObservedSource): ReferencedKeys {
  return observed.reference?.keys ?? "all";
}

/** The name of a source within its workload's namespace: `ConfigMap/name`. */
export function localName(ref: SourceRef): string {
  return `${ref.kind}/${ref.name}`;
}
