/** Whether requests are let through to a cluster. Half open: one request is let through as a trial. */
export type ClusterBreaker =
  | { readonly type: "closed"; readonly failures: number }
  | { readonly type: "open"; readonly untilMs: number; readonly openMs: number }
  | { readonly type: "half-open"; readonly openMs: number };

/** What the end of a request says about its cluster. `neutral`: nothing, for example because we stopped the request ourselves. */
export type BreakerOutcome = "answered" | "failed" | "neutral";

/** A single failure is no outage. Five in a row without an answer between them are. */
const failuresMax = 5;
/** Doubles with each trial that fails: a restart is over in seconds, an outage may take hours. */
const openFirstMs = 5000;
/** A cluster that is back is noticed within a minute. */
const openMaxMs = 60_000;

/** The initial breaker of each cluster. */
export const closedCircuit: ClusterBreaker = { type: "closed", failures: 0 };

/** Asks the breaker for a request. An open breaker whose time is over becomes half open, and this request is the trial. */
export function askCircuit(
  breaker: ClusterBreaker,
  nowMs: number,
):
  | { readonly type: "pass"; readonly breaker: ClusterBreaker }
  | { readonly type: "wait"; readonly forMs: number } {
  switch (breaker.type) {
    case "closed":
      return { type: "pass", breaker };
    case "open":
      if (nowMs < breaker.untilMs) return { type: "wait", forMs: breaker.untilMs - nowMs };
      return { type: "pass", breaker: { type: "half-open", openMs: breaker.openMs } };
    case "half-open":
      return { type: "wait", forMs: openFirstMs };
  }
}

/** The breaker after a request that it let through has ended. */
export function afterOutcome(
  breaker: ClusterBreaker,
  outcome: BreakerOutcome,
  nowMs: number,
): ClusterBreaker {
  // The trial showed nothing, so the next request is a trial.
  if (outcome === "neutral")
    return breaker.type === "half-open" ? { ...breaker, type: "open", untilMs: nowMs } : breaker;
  if (outcome === "answered") return closedCircuit;
  switch (breaker.type) {
    case "closed": {
      const failures = breaker.failures + 1;
      return failures < failuresMax ? { type: "closed", failures } : opened(openFirstMs, nowMs);
    }
    case "open":
      // The request began before the breaker opened, so its outcome is no news.
      return breaker;
    case "half-open":
      return opened(Math.min(breaker.openMs * 2, openMaxMs), nowMs);
  }
}

function opened(openMs: number, nowMs: number): ClusterBreaker {
  return { type: "open", untilMs: nowMs + openMs, openMs };
}

/** Another process has reached the cluster: requests are let through until one fails. A trial that is under way goes on. */
export function tryAtOnce(breaker: ClusterBreaker): ClusterBreaker {
  return breaker.type === "open" ? { type: "closed", failures: failuresMax - 1 } : breaker;
}
