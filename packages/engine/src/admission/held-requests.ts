import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Log } from "../ports/log.ts";
import type { ClusterId, Hold, Request } from "../ports/request.ts";
import { ReleaseThrottle } from "./release-throttle.ts";

/** A request that waits in the queue because it is on hold: frozen, over budget, its cluster away. */
export interface HeldRequest extends Hold {
  /** The id of the queue's entry. */
  readonly id: string;
  readonly request: Request;
  /** Wall time at which a worker asks again, if one is up. */
  readonly againAtMs: number;
}

/** The one place where holds wait. No worker stays up for held requests, so a process that is always on has to find the holds that end. */
export interface HeldRequests {
  list(): Promise<readonly HeldRequest[]>;
  count(): Promise<number>;
  /** The holds whose time is after the first moment and not after the second. */
  listDue(afterMs: number, untilMs: number): Promise<readonly HeldRequest[]>;
  /** Ends these holds: their requests are due now. A request that was taken up meanwhile stays as it is. */
  release(held: readonly HeldRequest[]): Promise<void>;
}

/** Whether the hold still holds the request. Undefined when that is not known: then its time decides. */
export type IsStillHeld = (request: Request, hold: Hold) => Promise<boolean | undefined>;

/** The clusters and reasons of a list of holds. */
export interface HoldSubjects {
  readonly clusters: ReadonlySet<ClusterId>;
  readonly reasons: ReadonlySet<string>;
}

/** Checks a hold without asking its cluster. */
export interface HoldCheck {
  readonly isStillHeld: IsStillHeld;
  /** The facts that the answers for these depend on. While the text is the same, no answer has changed. */
  readonly basisOf: (subjects: HoldSubjects) => Promise<string>;
}

export interface HoldWatchOptions {
  readonly held: HeldRequests;
  readonly check: HoldCheck;
  readonly clock: Clock;
  readonly log: Log;
}

/** As often as an autoscaler may ask for the queue depth: its next question after the end of a hold starts a worker. */
const sweepEveryMs = 1000;
/**
 * Up to this many holds are all checked each second. A hold that has just begun may be over already, for example when a worker was asked
 * before it had connected to its clusters. If there are more (there may be as many as workloads), all are checked every `listEveryMs`.
 */
const fewHolds = 1000;
const listEveryMs = 10_000;

/** Whether a hold is over at this wall time. */
export async function isOver(
  { request, reason, frozenBy, againAtMs, untilMs }: HeldRequest,
  nowMs: number,
  isStillHeld?: IsStillHeld,
): Promise<boolean> {
  if (untilMs !== undefined && nowMs >= untilMs) return true;
  const answer = await isStillHeld?.(request, { reason, untilMs, frozenBy });
  // Not known here: a worker has to ask.
  return answer === undefined ? nowMs >= againAtMs : !answer;
}

/** Ends the holds that are over, and resolves to them. Any number of processes may call it at the same time. */
export async function releaseEnded(
  listed: readonly HeldRequest[],
  { held, clock, log }: Omit<HoldWatchOptions, "check">,
  isStillHeld?: IsStillHeld,
): Promise<readonly HeldRequest[]> {
  const now = clock.now();
  // All are asked at the same time, so that shared facts are read once.
  const over = await Promise.all(listed.map((each) => isOver(each, now, isStillHeld)));
  const ended = listed.filter((_, at) => over[at]);
  if (ended.length === 0) return ended;
  await held.release(ended);
  log.debug({ count: ended.length }, "holds have ended");
  return ended;
}

/**
 * Ends holds until the signal is aborted, and goes on after failures of Redis. Each second it checks the holds whose time has come, and
 * all holds when another event may have ended them. Never rejects.
 */
export async function watchHolds(options: HoldWatchOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  const sweep = createHoldSweep(options);
  while (!signal.aborted) {
    try {
      await clock.sleep(sweepEveryMs, signal);
      await unlessAborted(sweep(), signal, "Redis");
    } catch (error) {
      if (!signal.aborted) log.debug({ err: asFault(error).message }, "held requests could not be checked");
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
    // Read before the list, so that a change in between makes the next sweep a full one. Read only when needed: it may be a call to an API server.
    const basisNow = isFew ? undefined : await check.basisOf(subjects);
    const isAll = isFew || basisNow !== basis || clock.monotonic() >= listAtMs;
    const listed = isAll ? await held.list() : await held.listDue(lookedAtMs, now);
    const admitted = listed.filter((each) => !throttle.isThrottled(each));
    throttle.begin(await releaseEnded(admitted, options, check.isStillHeld));
    // Last, so that a failed sweep is repeated.
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
