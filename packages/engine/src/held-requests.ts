import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "./clock.ts";
import type { Log } from "./log.ts";
import type { Request } from "./request.ts";

/** A request that may not be acted on for now: frozen, over budget, its cluster away. */
export interface HeldRequest {
  /** Of the queue's entry. */
  readonly id: string;
  readonly request: Request;
  readonly reason: string;
  /** Wall time at which a worker looks again, when one is up. */
  readonly againAtMs: number;
  /** Wall time at which the hold is over, when that is known. */
  readonly untilMs?: number;
}

/** What is held, beside the queue: held work keeps no worker up, and so must be found by somebody who is always on. */
export interface HeldRequests {
  list(): Promise<readonly HeldRequest[]>;
  /** These are held no more, and due now. One that was taken up meanwhile is left alone. */
  release(held: readonly HeldRequest[]): Promise<void>;
}

/** Whether the reason still holds the request; undefined where nobody knows: then its time decides. */
export type IsStillHeld = (request: Request, reason: string) => Promise<boolean | undefined>;

export interface HoldWatchOptions {
  readonly held: HeldRequests;
  /** Absent: nobody knows of any hold, so their times decide. */
  readonly isStillHeld?: IsStillHeld;
  readonly clock: Clock;
  readonly log: Log;
}

/** As often as whoever scales workers may ask: a hold that ends wakes a worker with the next question. */
const everyMs = 1000;

/** Whether a hold is over at this wall time. */
export async function isOver(
  { request, reason, againAtMs, untilMs }: HeldRequest,
  nowMs: number,
  isStillHeld?: IsStillHeld,
): Promise<boolean> {
  if (untilMs !== undefined && nowMs >= untilMs) return true;
  const answer = await isStillHeld?.(request, reason);
  // Nobody knows: a worker has to look.
  return answer === undefined ? nowMs >= againAtMs : !answer;
}

/** Makes due what is held no more. Any number of processes may do so. */
export async function releaseEnded({ held, isStillHeld, clock, log }: HoldWatchOptions): Promise<void> {
  const now = clock.now();
  const all = await held.list();
  // Asked together: what they have in common is read once.
  const over = await Promise.all(all.map((each) => isOver(each, now, isStillHeld)));
  const ended = all.filter((_, at) => over[at]);
  if (ended.length === 0) return;
  await held.release(ended);
  log.debug({ count: ended.length }, "holds have ended");
}

/** Does so until the signal is aborted, whatever becomes of Redis meanwhile. */
export async function watchHolds(options: HoldWatchOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  while (!signal.aborted) {
    try {
      await clock.sleep(everyMs, signal);
      await releaseEnded(options);
    } catch (error) {
      if (!signal.aborted) log.debug({ err: asFault(error).message }, "holds could not be looked at");
    }
  }
}
