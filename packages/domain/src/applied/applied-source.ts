import type { ReferencedKeys } from "../reference/object-use.ts";
import type { EarlierContent } from "./earlier-content.ts";

/** What the pods of a workload run with of one source. */
export type AppliedSource =
  /**
   * The digest of what was seen through these keys of the source, and the digest key it was made with: the one of
   * the applied state, or an older one when the source is gone and cannot be digested again.
   */
  | {
      readonly type: "present";
      readonly digest: string;
      readonly keyId: string;
      readonly keys: ReferencedKeys;
      /** Since when the content is this one. An older time shows a content that the pods have left behind. Mostly unknown. */
      readonly asOfSeconds?: number;
      /** Its own annotations kept it from counting: that it is gone is no change. Only where deletions are changes. */
      readonly isSetAside?: true;
      /**
       * It was found gone while pods that do not need it ran, and all of those had started by this second, as far as clocks of nodes tell. A
       * pod that started later started without it, until it is there again.
       */
      readonly goneAfterSeconds?: number;
      /** What pods that have stayed from before may run with, newest first. Only where another content was recorded since. */
      readonly earlier?: readonly EarlierContent[];
    }
  /** There was no such source when the pods were made. */
  | { readonly type: "absent" };
