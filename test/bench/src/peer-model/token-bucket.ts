export interface BucketRate {
  readonly perSecond: number;
  readonly burst: number;
}

/**
 * The limiter of client-go's REST clients: a bucket of `burst` tokens that fills with `perSecond`; who comes when it is
 * empty waits for a token of the future. Answers how many milliseconds to wait; the token is taken at once.
 */
export function createTokenBucket(rate: BucketRate, startMs: number): (nowMs: number) => number {
  let tokens = rate.burst;
  let filledAt = startMs;
  return (nowMs) => {
    tokens = Math.min(rate.burst, tokens + ((nowMs - filledAt) / 1000) * rate.perSecond);
    filledAt = nowMs;
    tokens -= 1;
    return tokens >= 0 ? 0 : (-tokens / rate.perSecond) * 1000;
  };
}

/** How long a fan-out takes in the limiter alone: 3 lists and N patches share one bucket. */
export function fanOutWaitSeconds(dependents: number, rate: BucketRate, listsInBucket: number): number {
  return Math.max(0, listsInBucket + dependents - rate.burst) / rate.perSecond;
}
