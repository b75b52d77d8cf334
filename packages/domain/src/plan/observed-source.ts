import type { ReloadMode } from "../decision/judge.ts";
import type { Reference } from "../reference/collect.ts";
import type { ReferencedKeys } from "../reference/object-use.ts";
import type { SourceContent, SourceRef, SourceWrite } from "../source/source.ts";

/** One source a workload has opted in to, as it is now. */
export interface ObservedSource {
  readonly ref: SourceRef;
  readonly mode: ReloadMode;
  /** How the pod template uses it; undefined for a source that is only named by an annotation. */
  readonly reference: Reference | undefined;
  /** Name patterns of annotations that alone lead to it; empty for a source that is referenced or named in full. */
  readonly patterns: readonly string[];
  /**
   * Undefined: there is no such source. `unseen`: there may be one, but it is not served, or nothing shows its content now;
   * its applied state stays as it is.
   */
  readonly live: LiveContent | "unseen" | undefined;
  /** Why it says of itself that nothing is rolled for it; absent when it does not. No plan depends on it. */
  readonly frozenBy?: string;
}

export interface LiveContent {
  readonly content: SourceContent;
  readonly createdAtSeconds: number;
  /** The last known write of its content: a write that only removes keys leaves no time. */
  readonly writtenAtSeconds: number;
  /** Content was written again after it was made, in whole seconds. */
  readonly isModified: boolean;
  readonly resourceVersion: string;
  /** Since when this is the content, where the API server knows: several objects show it, and the newest counts. */
  readonly asOfSeconds?: number;
  /** Who wrote it, for reports. No decision depends on it. */
  readonly write?: SourceWrite;
}

/**
 * Which keys of the source matter: those the references name, or all of it. A source that is named by an annotation and
 * also referenced matters through its references: restarting for a key no pod reads would help nobody.
 */
export function keysThatMatter(observed: ObservedSource): ReferencedKeys {
  return observed.reference?.keys ?? "all";
}

/** The name of a source within its workload's namespace: `ConfigMap/name`. */
export function localName(ref: SourceRef): string {
  return `${ref.kind}/${ref.name}`;
}
