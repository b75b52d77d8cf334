import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import type { SourceChange, SourceVersion } from "../../ports/reference-index.ts";

/** Publishes changes of sources. A failed call is repeated, so a change may be published twice. */
export interface SourcePublisher {
  /**
   * Publishes the sources whose version differs from the last published one. `mayAppear` says whether a source without a checkpoint may
   * have been created just now. Returns the changes that workloads wait for.
   */
  publish(
    sources: readonly SourceVersion[],
    mayAppear: (source: SourceRef) => boolean,
  ): Promise<readonly SourceChange[]>;
  /** The sources of a kind whose deletion has to be published. A source that is missing from a complete list was deleted unseen. */
  remembered(kind: SourceKind, namespace: string | undefined): Promise<readonly SourceRef[]>;
  /** Publishes deletions that count as changes, and forgets the sources. */
  publishDeleted(sources: readonly SourceRef[]): Promise<void>;
}
