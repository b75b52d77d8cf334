import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Log } from "../ports/log.ts";
import type { ClusterId, Hold, Request } from "../ports/request.ts";
import { ReleaseThrottle } from "./release-throttle.ts";

/** A request that waits in the queue because it is on hold: frozen, over budget, its cluster away. */
export interface HeldRequest extends Hold {
  /** Of the queue's entry. */
  readonly id: string;
  readonly request: Request;
  /** Wall time at which a worker asks again, when one is up. */
  readonly againAtMs: number;
}

/** The one place where holds wait. Held work keeps no worker up, so a process that is always on has to find the holds that end. */
export interface HeldRequests {
  list(): Promise<readonly HeldRequest[]>;
  count(): Promise<number>;
  /** Those whose time came after this moment, and until that. */
  listDue(afterMs: number, untilMs: number): Promise<readonly HeldRequest[]>;
  /** These are held no more, and due now. One that was taken up meanwhile is left alone. */
  release(held: readonly HeldRequest[]): Promise<void>;
}

/** Whether the reason still holds the request; undefined where nobody knows: then its time decides. */
export type IsStillHeld = (request: Request, reason: string) => Promise<boolean | undefined>;

/** What a list of holds is about. */
export interface HoldSubjects {
  readonly clusters: ReadonlySet<ClusterId>;
  readonly reasons: ReadonlySet<string>;
}

/** What can be told of a hold without asking its cluster. */
export interface HoldCheck {
  readonly isStillHeld: IsStillHeld;
  /** What the answers for these go by: as long as it is the same text, none of them that was given can have become another. */
  readonly basisOf: (subjects: HoldSubjects) => Promise<string>;
}

export interface HoldWatchOptions {
  readonly held: HeldRequests;
  readonly check: HoldCheck;
  readonly clock: Clock;
  readonly log: Log;
}

/** As often as whoever scales workers may ask: a hold that ends wakes a worker with the next question. */
const everyMs = 1000;
/**
 * So many are gone through each second: what began just now may be over already, as for a worker that was asked before it had
 * connected to its clusters. Of more, which may be as many as there are workloads, all only this often.
 */
const fewHolds = 1000;
const listEveryMs = 10_000;

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

/** Makes due which of these are held no more, and resolves to them. Any number of processes may do so. */
export async function releaseEnded(
  listed: readonly HeldRequest[],
  { held, clock, log }: Omit<HoldWatchOptions, "check">,
  isStillHeld?: IsStillHeld,
): Promise<readonly HeldRequest[]> {
  const now = clock.now();
  // Asked together: what they have in common is read once.
  const over = await Promise.all(listed.map((each) => isOver(each, now, isStillHeld)));
  const ended = listed.filter((_, at) => over[at]);
  if (ended.length === 0) return ended;
  await held.release(ended);
  log.debug({ count: ended.length }, "holds have ended");
  return ended;
}

/**
 * Does so until the signal is aborted, whatever becomes of Redis meanwhile: each second with those whose time has come, and with all
 * when something else may have ended them. Never rejects.
 */
export async function watchHolds(options: HoldWatchOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  const sweep = createHoldSweep(options);
  while (!signal.aborted) {
    try {
      await clock.sleep(everyMs, signal);
      await unlessAborted(sweep(), signal, "Redis");
    } catch (error) {
      if (!signal.aborted) log.debug({ err: asFault(error).message }, "holds could not be looked at");
    }
  }
}

function createHoldSweep(options: HoldWatchOptions): () => Promise<void> {
  const { held, check, clock } = options;
  const throttle = new ReleaseThrottle(clock);
  let subjects: HoldSubjects = { clusters: new Set(), reasons: new Set() };
  let basis: string | undefined;
  let listAtMs = Number.NEGATIVE_INFINITY;
  let lookedAtMs = clock.now();
  return async () => {
    const now = clock.now();
    const isFew = (await held.count()) <= fewHolds;
    // Before the list: what changes in between makes the next look one at all. Not for nothing: it may be a question to an API server.
    const basisNow = isFew ? undefined : await check.basisOf(subjects);
    const isAll = isFew || basisNow !== basis || clock.monotonic() >= listAtMs;
    const listed = isAll ? await held.list() : await held.listDue(lookedAtMs, now);
    const admitted = listed.filter((each) => !throttle.isThrottled(each));
    throttle.begin(await releaseEnded(admitted, options, check.isStillHeld));
    // Only now: what has failed is done again.
    lookedAtMs = now;
    if (!isAll) return;
    subjects = subjectsOf(listed);
    basis = basisNow;
    listAtMs = clock.monotonic() + listEveryMs;
  };
}

function subjectsOf(listed: readonly HeldRequest[]): HoldSubjects {
  return {
    clusters: new Set(listed.map(({ request }) => request.cluster)),
    reasons: new Set(listed.map(({ reason }) => reason)),
  };
}
