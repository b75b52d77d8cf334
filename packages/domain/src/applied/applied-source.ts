import type { ReferencedKeys } from "../reference/object-use.ts";
import type { EarlierContent } from "./earlier-content.ts";

/** What the pods of a workload run with of one source. */
export type AppliedSource =
  /**
   * The digest of the source's content, seen through these keys, and the digest key that made it. That key is the one of the applied state, or an
   * older one when the source is gone and cannot be digested again.
   */
  | {
      readonly type: "present";
      readonly digest: string;
      readonly keyId: string;
      readonly keys: ReferencedKeys;
      /** The time since which the source has this content. An older time belongs to a content that the pods have left behind. Mostly unknown. */
      readonly asOfSeconds?: number;
      /** The source's own annotations excluded it, so its deletion is no change. Set only where deletions are changes. */
      readonly isSetAside?: true;
      /**
       * The source was found gone while pods that do not need it ran. All of those pods had started by this second, as far as the clocks of nodes
       * tell. A pod that starts later, and before the source is back, runs without it.
       */
      readonly goneAfterSeconds?: number;
      /** Contents that pods from before may still run with, newest first. Set only where another content was recorded since. */
      readonly earlier?: readonly EarlierContent[];
    }
  /** The source did not exist when the pods were made. */
  | { readonly type: "absent" };
