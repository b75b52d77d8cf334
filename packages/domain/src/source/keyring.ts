import type { KeyedDigest } from "./mark.ts";

/** The digest keys we hold: new digests are made with the current one, old notes are compared with the one they name. */
export interface Keyring {
  readonly current: KeyedDigest;
  /** Of every key, the current one first. */
  readonly ids: readonly string[];
  find(keyId: string): KeyedDigest | undefined;
}
