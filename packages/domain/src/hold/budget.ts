/** What may be rolled at one level: how many in a time, how many at once. */
export interface BudgetLimit {
  readonly rate?: BudgetRate;
  /** Rollouts that have begun and not ended. */
  readonly unfinishedMax?: number;
}

export interface BudgetRate {
  readonly rolls: number;
  readonly perMs: number;
  /** So many at once after a time without any. */
  readonly burst: number;
}

/** A roll that asks a budget. */
export interface BudgetAsk {
  /** The workload: it counts once, however often it asks. */
  readonly roll: string;
  /** Whose turn it is: shares take turns, however many rolls wait in each. */
  readonly share: string;
}

/** What a budget remembers. Times in milliseconds of one clock. */
export interface BudgetState {
  readonly tokens: number;
  readonly tokensAtMs: number;
  /** Unfinished rollout → when it is forgotten at the latest. */
  readonly leases: ReadonlyMap<string, number>;
  readonly waiting: ReadonlyMap<string, Turn>;
  /** Share → place that was given to it last. */
  readonly lastPlace: ReadonlyMap<string, number>;
  /** Place of the roll that was made last. */
  readonly served: number;
}

interface Turn {
  readonly place: number;
  /** When it was told to ask again. */
  readonly dueMs: number;
}

/** What a budget says to a roll: there is room, or what there is too little of, and when to ask again. */
export type BudgetAnswer =
  | { readonly type: "room" }
  | { readonly type: "short"; readonly of: "rate" | "unfinished"; readonly afterMs: number };

/** A rollout whose end nobody tells is forgotten after this long: longer than a Deployment's own deadline of 10 minutes. */
export const leaseMs = 15 * 60_000;
/** What is kept for somebody is kept for so long after he was told to come: as late as a queue with nothing else to do brings him. */
export const graceMs = 250;
/** A queue that is busy brings him later. So late, and his place is lost, too. */
export const latenessMs = 5000;
/** The end of a rollout is not announced: those next in line look once a second, those behind them less often. */
export const finishPollMs = 1000;
/** Nobody waits longer without asking again: limits may be set anew. */
export const askAgainMaxMs = 60_000;

/** A budget nobody has used, or whose memory was lost then: it has saved nothing up, so that a loss releases no burst. */
export function emptyBudget(sinceMs: number): BudgetState {
  return {
    ...{ tokens: 0, tokensAtMs: sinceMs, served: 0 },
    ...{ leases: new Map(), waiting: new Map(), lastPlace: new Map() },
  };
}

/**
 * Asks for room. Whoever gets none gets a place: in turns between the shares, in order within one. What those ahead need is
 * kept for them until they are late. Who is late keeps the place and is first when he comes, but nobody stands idle for him:
 * with a busy queue everybody is late, and what is kept for one of them is lost to all.
 */
export function askBudget(
  before: BudgetState,
  limit: BudgetLimit,
  ask: BudgetAsk,
  nowMs: number,
): { readonly answer: BudgetAnswer; readonly state: BudgetState } {
  const state = refreshed(before, limit, nowMs);
  const place = placeOf(state, ask);
  const ahead = [...state.waiting].filter(
    ([roll, turn]) => turn.dueMs + graceMs > nowMs && isBefore(roll, turn.place, ask.roll, place),
  ).length;
  const answer = answerTo(state, limit, ask, ahead);
  if (answer.type === "room") return { answer, state };
  const turn = { place, dueMs: nowMs + answer.afterMs };
  return {
    answer,
    state: {
      ...state,
      waiting: new Map([...state.waiting, [ask.roll, turn]]),
      lastPlace: new Map([
        ...state.lastPlace,
        [ask.share, Math.max(place, state.lastPlace.get(ask.share) ?? 0)],
      ]),
    },
  };
}

/** A roll is made. */
export function spendBudget(
  state: BudgetState,
  limit: BudgetLimit,
  ask: BudgetAsk,
  nowMs: number,
): BudgetState {
  return {
    ...leaveLine(state, ask.roll),
    tokens: limit.rate === undefined ? state.tokens : state.tokens - 1,
    leases:
      limit.unfinishedMax === undefined
        ? state.leases
        : new Map([...state.leases, [ask.roll, nowMs + leaseMs]]),
    served: Math.max(state.served, placeOf(state, ask)),
  };
}

/** It waits for another budget, or for nothing any more: nobody has to let it go first. */
export function leaveLine(state: BudgetState, roll: string): BudgetState {
  return { ...state, waiting: without(state.waiting, roll) };
}

/** Its rollout has ended. */
export function endRollout(state: BudgetState, roll: string): BudgetState {
  return { ...state, leases: without(state.leases, roll) };
}

/** It was not made after all. */
export function giveBack(state: BudgetState, limit: BudgetLimit, roll: string): BudgetState {
  const tokens = limit.rate === undefined ? state.tokens : Math.min(limit.rate.burst, state.tokens + 1);
  return { ...endRollout(state, roll), tokens };
}

function refreshed(state: BudgetState, { rate }: BudgetLimit, nowMs: number): BudgetState {
  const earned = rate === undefined ? 0 : (Math.max(0, nowMs - state.tokensAtMs) * rate.rolls) / rate.perMs;
  return {
    ...state,
    tokens: rate === undefined ? 0 : Math.min(rate.burst, state.tokens + earned),
    tokensAtMs: Math.max(nowMs, state.tokensAtMs),
    leases: new Map([...state.leases].filter(([, untilMs]) => untilMs > nowMs)),
    waiting: new Map([...state.waiting].filter(([, { dueMs }]) => dueMs + latenessMs > nowMs)),
  };
}

/** Start-time fair queueing: a share that waits with a thousand rolls gets no more turns than one that waits with one. */
function placeOf(state: BudgetState, { roll, share }: BudgetAsk): number {
  return state.waiting.get(roll)?.place ?? Math.max(state.served, state.lastPlace.get(share) ?? 0) + 1;
}

function answerTo(state: BudgetState, limit: BudgetLimit, { roll }: BudgetAsk, ahead: number): BudgetAnswer {
  const { rate, unfinishedMax } = limit;
  if (unfinishedMax !== undefined) {
    const under = without(state.leases, roll).size;
    const afterMs = Math.min(askAgainMaxMs, finishPollMs * (1 + ahead));
    if (unfinishedMax - under - ahead < 1) return { type: "short", of: "unfinished", afterMs };
  }
  if (rate !== undefined && state.tokens - ahead < 1) {
    const missingMs = ((ahead + 1 - state.tokens) * rate.perMs) / rate.rolls;
    return { type: "short", of: "rate", afterMs: Math.min(askAgainMaxMs, Math.ceil(missingMs)) };
  }
  return { type: "room" };
}

function isBefore(roll: string, place: number, mine: string, myPlace: number): boolean {
  if (roll === mine) return false;
  return place < myPlace || (place === myPlace && roll < mine);
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  return new Map([...map].filter(([other]) => other !== key));
}
