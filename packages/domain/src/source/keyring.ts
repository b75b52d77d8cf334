import type { KeyedDigest } from "./mark.ts";

/** The digest keys we hold. New digests are made with the current one. An old applied state is compared with the key that it names. */
export interface Keyring {
  readonly current: KeyedDigest;
  /** The ids of all keys, the current one first. */
  readonly ids: readonly string[];
  find(keyId: string): KeyedDigest | undefined;
}
