import type { Workload } from "./fleet.ts";
import type { ExpectedRoll } from "./story/step.ts";

/** What is needed of a write to count it as a roll. */
export interface SeenRoll extends Workload {
  readonly cluster: string;
}

/** Why a step did not go as told, a line each; empty: all as told. What is not expected must not roll at all. */
export function judgeRolls(expected: readonly ExpectedRoll[], seen: readonly SeenRoll[]): readonly string[] {
  const seenTimes = countBy(seen.map((roll) => keyOf(roll.cluster, roll)));
  const expectedTimes = new Map(
    expected.map(({ cluster, workload, times }) => [keyOf(cluster, workload), times]),
  );
  return [...new Set([...expectedTimes.keys(), ...seenTimes.keys()])].flatMap((key) => {
    const wanted = expectedTimes.get(key) ?? 0;
    const times = seenTimes.get(key) ?? 0;
    return wanted === times ? [] : [`${key}: ${rollsText(wanted)} expected, ${times} seen`];
  });
}

/** All that is expected has been seen, and more must not come. */
export function isComplete(expected: readonly ExpectedRoll[], seen: readonly SeenRoll[]): boolean {
  const times = countBy(seen.map((roll) => keyOf(roll.cluster, roll)));
  return expected.every((each) => (times.get(keyOf(each.cluster, each.workload)) ?? 0) >= each.times);
}

export function totalOf(expected: readonly ExpectedRoll[]): number {
  return expected.reduce((sum, { times }) => sum + times, 0);
}

export function rollsText(count: number): string {
  return count === 0 ? "no roll" : count === 1 ? "1 roll" : `${count} rolls`;
}

/** What is needed of an outcome to tell whether the demo is right. */
export interface JudgedOutcome {
  readonly problems: readonly string[];
}

/** 0 only when every step was played to its end and went as told. */
export function exitCodeOf(outcomes: readonly JudgedOutcome[], stepCount: number): 0 | 1 {
  const isPlayed = stepCount > 0 && outcomes.length === stepCount;
  return isPlayed && outcomes.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

function keyOf(cluster: string, { kind, namespace, name }: Workload): string {
  return `${cluster} ${kind} ${namespace}/${name}`;
}

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}
