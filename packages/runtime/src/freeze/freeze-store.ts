/** One freeze document, to be read and changed. */
export interface FreezeStore {
  /** The place of the document, for people. */
  readonly name: string;
  /** The document as it is now; undefined: there is none. */
  text(): Promise<string | undefined>;
  write(change: (before: string | undefined) => string): Promise<void>;
}

/** The documents that are read together. People's freezes are written to the first. */
export type FreezeStores = readonly [FreezeStore, ...FreezeStore[]];
