import { markAnnotation } from "../annotation/own-keys.ts";
import { formatLastReloadedFrom, lastReloadedFromAnnotation } from "../compat/last-reloaded-from.ts";
import { targetContainer } from "../compat/target-container.ts";
import type { PodTemplate } from "../workload/pod-template.ts";
import type { MarkedSource, TemplateEdit } from "./edit.ts";

/** Input of the annotations strategy. */
export interface AnnotationsEditInput {
  /** Oldest change first. The last one is the newest, and the only one that the peer's annotation has room for. */
  readonly changed: readonly MarkedSource[];
  /** The mark of all sources of the workload together. */
  readonly mark: string;
  readonly template: PodTemplate;
  /** Unix time. Not part of any comparison: compare marks first, and write only when they differ (decision 3). */
  readonly nowSeconds: number;
}

/** The edit of the annotations strategy: our mark, and the peer's annotation with our mark in place of its hash. */
export function annotationsEdit({ changed, mark, template, nowSeconds }: AnnotationsEditInput): TemplateEdit {
  const newest = changed.at(-1);
  if (newest === undefined) return { annotations: { [markAnnotation]: mark } };
  const container = targetContainer(template, newest.source, newest.mode);
  const lastReloadedFrom = formatLastReloadedFrom({
    source: newest.source,
    hash: newest.mark,
    containerRefs: container === undefined ? [] : [container],
    observedAtSeconds: Math.floor(nowSeconds),
  });
  return { annotations: { [markAnnotation]: mark, [lastReloadedFromAnnotation]: lastReloadedFrom } };
}
