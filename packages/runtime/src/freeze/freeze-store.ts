/** One freeze document that can be read and changed. */
export interface FreezeStore {
  /** The place of the document, for people. */
  readonly name: string;
  /** The present document; undefined: there is none. */
  text(): Promise<string | undefined>;
  write(change: (before: string | undefined) => string): Promise<void>;
}

/** The documents that are read together. Freezes of people are written to the first. */
export type FreezeStores = readonly [FreezeStore, ...FreezeStore[]];
