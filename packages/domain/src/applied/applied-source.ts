import type { ReferencedKeys } from "../reference/object-use.ts";

/** What the pods of a workload carry of one source. */
export type AppliedSource =
  /**
   * The digest of what was seen through these keys of the source, and the digest key it was made with: that of the note,
   * or an older one when the source is gone since and cannot be digested anew.
   */
  | {
      readonly type: "present";
      readonly digest: string;
      readonly keyId: string;
      readonly keys: ReferencedKeys;
      /** Since when it is what it is: what is older shows a past that the pods are beyond. Mostly unknown. */
      readonly asOfSeconds?: number;
    }
  /** There was no such source when the pods were made. */
  | { readonly type: "absent" };
