import { Fault } from "@fleet-reloader/domain/fault";
import type { Work } from "@fleet-reloader/engine/admission/work";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";

/** The path for scalers of workers. KEDA's `metrics-api` trigger in the chart uses it, with the field `work` of the answer. */
export const workPath = "/work";

export interface WorkAnswerOptions {
  readonly count: () => Promise<Work>;
  /** Why Redis cannot be read, one line each. */
  readonly redisNotReady: () => readonly string[];
  readonly clock: Clock;
}

/** KEDA asks every few seconds, and each of its streams twice a second. Redis is read at most twice a second. */
const countKeptMs = 500;
/** KEDA gives up after 3 s (its --http-timeout): an answer with the reason is better than none. */
const countPatienceMs = 2000;

/** The count of waiting work, read at most twice a second. Rejects soon when Redis does not answer. */
export function createWorkAnswer(options: WorkAnswerOptions): () => Promise<Work> {
  const { clock } = options;
  let kept: { readonly at: number; readonly answer: Promise<Work> } | undefined;
  return async function tellWork() {
    const [reason] = options.redisNotReady();
    if (reason !== undefined) throw new Fault("redis.unavailable", reason);
    const now = clock.monotonic();
    if (kept === undefined || now - kept.at >= countKeptMs) kept = { at: now, answer: countInTime(options) };
    return await kept.answer;
  };
}

async function countInTime({ count, clock }: WorkAnswerOptions): Promise<Work> {
  return await answerWithin(countPatienceMs, clock, count(), `redis: no answer within ${countPatienceMs} ms`);
}
