import { LRUCache } from "lru-cache";

/** An Event that was created, and how often it was repeated since. */
export interface Said {
  readonly name: string;
  count: number;
  readonly sinceMs: number;
}

/** The same text within this time raises the count of the existing Event; after it a new Event is created. */
export const repeatWithinMs = 10 * 60_000;
/** Events of one workload: this many at once, then one more every five minutes (as client-go's recorder has it). */
const burst = 25;
const refillMs = 5 * 60_000;
/** Workloads and Events remembered. After one is forgotten, its next Event is a new one. */
const limitsMax = 4096;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** Limits the Events of each workload. It keeps its state in memory only, and its size is bounded. */
export class EventLimits {
  readonly #said = new LRUCache<string, Said>({ max: limitsMax });
  readonly #buckets = new LRUCache<string, Bucket>({ max: limitsMax });

  /** The recent Event with the same text. */
  find(key: string, nowMs: number): Said | undefined {
    const said = this.#said.peek(key);
    return said !== undefined && nowMs - said.sinceMs < repeatWithinMs ? said : undefined;
  }

  remember(key: string, name: string, nowMs: number): void {
    this.#said.set(key, { name, count: 1, sinceMs: nowMs });
  }

  forget(key: string): void {
    this.#said.delete(key);
  }

  /** Whether this workload may have one more Event now. */
  take(workload: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(workload) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / refillMs);
    this.#buckets.set(workload, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: nowMs });
    return tokens >= 1;
  }
}
