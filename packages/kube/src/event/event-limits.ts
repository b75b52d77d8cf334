/** An Event that was made, and how often it was said since. */
export interface Said {
  readonly name: string;
  count: number;
  readonly sinceMs: number;
}

/** The same within this time is counted on the Event there is: what a roll says is news again afterwards. */
export const repeatWithinMs = 10 * 60_000;
/** Events of one workload: this many at once, then one more every five minutes (as client-go's recorder has it). */
const burst = 25;
const refillMs = 5 * 60_000;
/** Workloads and Events remembered; of those forgotten the next Event is made anew. */
const rememberedMax = 4096;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** What keeps Events of one workload from flooding its cluster. In memory only, and bounded. */
export class EventLimits {
  readonly #said = new Map<string, Said>();
  readonly #buckets = new Map<string, Bucket>();

  /** The Event that says the same and is not old yet. */
  find(key: string, nowMs: number): Said | undefined {
    const said = this.#said.get(key);
    return said !== undefined && nowMs - said.sinceMs < repeatWithinMs ? said : undefined;
  }

  remember(key: string, name: string, nowMs: number): void {
    put(this.#said, key, { name, count: 1, sinceMs: nowMs });
  }

  forget(key: string): void {
    this.#said.delete(key);
  }

  /** Whether this workload may have one more Event now. */
  take(workload: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(workload) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / refillMs);
    put(this.#buckets, workload, { tokens: tokens >= 1 ? tokens - 1 : tokens, atMs: nowMs });
    return tokens >= 1;
  }
}

/** Puts at the young end, and lets go of the oldest. */
function put<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > rememberedMax && oldest !== undefined) map.delete(oldest);
}
