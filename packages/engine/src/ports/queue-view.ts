import type { Hold, Request } from "./request.ts";

/** A request that waits in the queue. */
export interface WaitingRequest {
  /** Why it is on hold, and when a worker asks again at the latest (wall time). Absent: it waits for its turn or for quiet. */
  readonly hold?: Hold & { readonly againAtMs: number };
}

/** What the queue knows of one request, for people. Reading it changes nothing. */
export interface QueueView {
  /** Undefined: no change and no adoption of the workload waits. */
  waiting(request: Request): Promise<WaitingRequest | undefined>;
}
