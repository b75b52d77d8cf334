import { setTimeout as wait } from "node:timers/promises";
import type { ClusterWrite, Fleet, WriteTail } from "./fleet.ts";
import { isComplete, judgeRolls } from "./judge.ts";
import type { Narrator } from "./narration/narrator.ts";
import type { Proof, Step } from "./story/step.ts";

/** The product's default, which the demo leaves alone. */
export const quietPeriodMs = 2000;
/** Long enough for a roll that should not come to be seen. */
const calmMs = quietPeriodMs + 1000;
/** A roll that has not come by then does not come: the quiet period, and more than a machine needs that does much else. */
const patienceMs = quietPeriodMs + 60_000;
const settleMs = 700;
const pollMs = 10;

export interface Outcome {
  readonly step: Step;
  readonly rolls: readonly ClusterWrite[];
  /** Of the slowest roll, after the step's last act. */
  readonly slowestMs: number | undefined;
  readonly problems: readonly string[];
}

export interface Playing {
  readonly fleet: Fleet;
  /** What it gives first belongs to the first step: between steps nothing is lost. */
  readonly tail: WriteTail;
  readonly narrator: Narrator;
  /** Rejects what is under way. */
  readonly signal: AbortSignal;
}

/** Does what the step says, waits for what it promises, and listens a little longer. */
export async function playStep(step: Step, playing: Playing): Promise<Outcome> {
  const { fleet, tail, narrator, signal } = playing;
  narrator.title(step);
  const rolls: ClusterWrite[] = [];
  let lastActAt = performance.now();
  const look = () => {
    for (const roll of tail.takeRolls()) {
      rolls.push(roll);
      narrator.roll(roll, roll.at - lastActAt);
    }
  };
  for (const act of step.acts) {
    await wait(act.afterMs ?? 0, undefined, { signal });
    narrator.act(act);
    for (const cluster of act.on) act.write(fleet[cluster], { user: act.who, manager: act.who });
    lastActAt = performance.now();
  }
  narrator.expects(step);

  const isExpectingNone = step.rolls.length === 0;
  const deadline = lastActAt + (isExpectingNone ? calmMs : patienceMs);
  const isOver = () => performance.now() > deadline || (!isExpectingNone && isComplete(step.rolls, rolls));
  await watchUntil(isOver, look, signal);
  const proven = step.proof === undefined ? [] : await prove(step.proof, playing, lastActAt);
  const settledAt = performance.now() + (isExpectingNone ? 0 : (step.settleMs ?? settleMs));
  await watchUntil(() => performance.now() > settledAt, look, signal);

  const problems = [...judgeRolls(step.rolls, rolls), ...proven];
  const slowestMs = rolls.length === 0 ? undefined : Math.max(...rolls.map(({ at }) => at - lastActAt));
  const outcome = { step, rolls, slowestMs, problems };
  narrator.verdict(outcome);
  return outcome;
}

async function watchUntil(isOver: () => boolean, look: () => void, signal: AbortSignal): Promise<void> {
  for (;;) {
    look();
    if (isOver()) return;
    await wait(pollMs, undefined, { signal });
  }
}

/** Shows the proof as soon as there is one; the answer is what is wrong. */
async function prove(
  proof: Proof,
  { fleet, narrator, signal }: Playing,
  since: number,
): Promise<readonly string[]> {
  const deadline = performance.now() + patienceMs;
  while (performance.now() < deadline) {
    const lines = proof.find(fleet);
    if (lines !== undefined) {
      narrator.proof(proof, lines, performance.now() - since);
      return [];
    }
    await wait(pollMs, undefined, { signal });
  }
  return [`not seen: ${proof.what}`];
}
