import {
  askAgainMaxMs,
  type BudgetLimit,
  finishPollMs,
  graceMs,
  latenessMs,
  leaseMs,
} from "@fleet-reloader/domain/hold/budget";

/** A roll that asks a budget. */
export interface BudgetAsk {
  /** The workload. It counts once, however often it asks. */
  readonly roll: string;
  /** Shares take turns, whatever the number of rolls that wait in each. */
  readonly share: string;
}

/** What a budget remembers. Times in milliseconds of one clock. */
export interface BudgetState {
  readonly tokens: number;
  readonly tokensAtMs: number;
  /** Unfinished rollout → latest time at which it is forgotten. */
  readonly leases: ReadonlyMap<string, number>;
  /** Unfinished rollout → the lease that it had before a newer roll of its workload took another. */
  readonly earlier: ReadonlyMap<string, number>;
  readonly waiting: ReadonlyMap<string, Turn>;
  /** Roll that did not ask again in time → until when it goes first if it asks. */
  readonly late: ReadonlyMap<string, number>;
  /** Place of the last roll. */
  readonly served: number;
}

interface Turn {
  readonly share: string;
  readonly place: number;
  /** When it should ask again. */
  readonly dueMs: number;
}

/** The answer of a budget: room, or what is short and when to ask again. */
export type BudgetAnswer =
  | { readonly type: "room" }
  | { readonly type: "short"; readonly of: "rate" | "unfinished"; readonly afterMs: number };

/** An unused budget, or one whose state was lost. It has no saved tokens, so that a loss releases no burst. */
export function emptyBudget(sinceMs: number): BudgetState {
  return {
    ...{ tokens: 0, tokensAtMs: sinceMs, served: 0 },
    ...{ leases: new Map(), earlier: new Map(), waiting: new Map(), late: new Map() },
  };
}

/**
 * Asks for room. A roll that gets none gets a place: shares take turns, and rolls of one share keep their order. Room is reserved
 * for those ahead until they are late. A late roll goes first when it asks, but no room is reserved for it: with a busy queue
 * every roll is late, and room reserved for one is lost to all.
 */
export function askBudget(
  before: BudgetState,
  limit: BudgetLimit,
  ask: BudgetAsk,
  nowMs: number,
): { readonly answer: BudgetAnswer; readonly state: BudgetState } {
  const state = refreshed(before, limit, nowMs);
  const place = placeOf(state, ask);
  const ahead = [...state.waiting].filter(([roll, turn]) =>
    isBefore({ roll, ...turn }, { ...ask, place }),
  ).length;
  const answer = answerTo(state, limit, ask, ahead);
  if (answer.type === "room") return { answer, state };
  const turn = { share: ask.share, place, dueMs: nowMs + answer.afterMs };
  return {
    answer,
    state: {
      ...state,
      late: without(state.late, ask.roll),
      waiting: new Map([...state.waiting, [ask.roll, turn]]),
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
    ...leaveLine(limit.unfinishedMax === undefined ? state : begun(state, ask.roll, nowMs), ask.roll),
    tokens: limit.rate === undefined ? state.tokens : state.tokens - 1,
    served: Math.max(state.served, placeOf(state, ask)),
  };
}

/** Its rollout is unfinished. One that was so before is kept, in case that the roll is not made. */
function begun(state: BudgetState, roll: string, nowMs: number): BudgetState {
  return {
    ...state,
    leases: moved(state.leases, roll, nowMs + leaseMs),
    earlier: moved(state.earlier, roll, state.leases.get(roll)),
  };
}

/** The roll waits for another budget, or is no longer wanted: it gives up its place. */
export function leaveLine(state: BudgetState, roll: string): BudgetState {
  return { ...state, waiting: without(state.waiting, roll), late: without(state.late, roll) };
}

/**
 * The rollout that began `ageMs` ago has ended. A much younger lease stays: it belongs to a newer roll that is being written and
 * not followed yet. Half the age decides, since the age is measured by another clock.
 */
export function endRollout(state: BudgetState, roll: string, ageMs: number, nowMs: number): BudgetState {
  const left = (leases: ReadonlyMap<string, number>) =>
    (leases.get(roll) ?? 0) - leaseMs > nowMs - ageMs / 2 ? leases : without(leases, roll);
  return { ...state, leases: left(state.leases), earlier: left(state.earlier) };
}

/** The roll was not made: it keeps its turn for when it asks again, and a rollout of its workload that began before is unfinished still. */
export function giveBack(state: BudgetState, limit: BudgetLimit, roll: string, nowMs: number): BudgetState {
  const tokens = limit.rate === undefined ? state.tokens : Math.min(limit.rate.burst, state.tokens + 1);
  const late = new Map([...state.late, [roll, nowMs + latenessMs]]);
  const leases = moved(state.leases, roll, state.earlier.get(roll));
  return { ...state, leases, earlier: without(state.earlier, roll), tokens, late };
}

function refreshed(state: BudgetState, { rate }: BudgetLimit, nowMs: number): BudgetState {
  const earned = rate === undefined ? 0 : (Math.max(0, nowMs - state.tokensAtMs) * rate.rolls) / rate.perMs;
  const isLate = ([, { dueMs }]: readonly [string, Turn]) => dueMs + graceMs <= nowMs;
  const late = [...state.waiting].filter(isLate).map(([roll]) => [roll, nowMs + latenessMs] as const);
  return {
    ...state,
    tokens: rate === undefined ? 0 : Math.min(rate.burst, state.tokens + earned),
    tokensAtMs: Math.max(nowMs, state.tokensAtMs),
    leases: new Map([...state.leases].filter(([, untilMs]) => untilMs > nowMs)),
    earlier: new Map([...state.earlier].filter(([, untilMs]) => untilMs > nowMs)),
    waiting: new Map([...state.waiting].filter((turn) => !isLate(turn))),
    late: new Map([...[...state.late].filter(([, untilMs]) => untilMs > nowMs), ...late]),
  };
}

/** Start-time fair queueing: a share with a thousand waiting rolls gets no more turns than a share with one. */
function placeOf({ waiting, late, served }: BudgetState, { roll, share }: BudgetAsk): number {
  const known = waiting.get(roll)?.place;
  if (known !== undefined) return known;
  if (late.has(roll)) return served;
  const places = [...waiting.values()].filter((turn) => turn.share === share).map(({ place }) => place);
  return Math.max(served, ...places) + 1;
}

function answerTo(state: BudgetState, limit: BudgetLimit, { roll }: BudgetAsk, ahead: number): BudgetAnswer {
  const { rate, unfinishedMax } = limit;
  if (unfinishedMax !== undefined) {
    const under = without(state.leases, roll).size;
    const afterMs = Math.min(askAgainMaxMs, finishPollMs * (1 + Math.floor(ahead / unfinishedMax)));
    if (unfinishedMax - under - ahead < 1) return { type: "short", of: "unfinished", afterMs };
  }
  if (rate !== undefined && state.tokens - ahead < 1) {
    const missingMs = ((ahead + 1 - state.tokens) * rate.perMs) / rate.rolls;
    return { type: "short", of: "rate", afterMs: Math.min(askAgainMaxMs, Math.ceil(missingMs)) };
  }
  return { type: "room" };
}

interface Waiting extends BudgetAsk {
  readonly place: number;
}

/** All processes break ties in the same way. */
function isBefore(other: Waiting, mine: Waiting): boolean {
  if (other.roll === mine.roll) return false;
  if (other.place !== mine.place) return other.place < mine.place;
  return other.share === mine.share ? other.roll < mine.roll : other.share < mine.share;
}

/** Undefined: it has none. */
function moved(
  leases: ReadonlyMap<string, number>,
  roll: string,
  untilMs: number | undefined,
): ReadonlyMap<string, number> {
  return untilMs === undefined ? without(leases, roll) : new Map([...leases, [roll, untilMs]]);
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  return new Map([...map].filter(([other]) => other !== key));
}
