import type { WriteVerb } from "../instruments/write-log.ts";

/** Who writes, and how. */
export interface WriteContext {
  readonly verb: WriteVerb;
  readonly user: string;
  readonly manager: string;
  readonly isDryRun: boolean;
  readonly subresource?: "status" | "scale" | undefined;
  /** Refuse fields that the kind does not have, instead of dropping them. */
  readonly isStrict?: boolean;
}

export interface DeleteOptions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
  /** "Foreground" and "Orphan" wait for the garbage collector; all else is at once. */
  readonly propagationPolicy?: string | undefined;
}
