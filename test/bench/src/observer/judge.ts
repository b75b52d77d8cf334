type Rolls = ReadonlyMap<string, readonly number[]>;

/** What is wrong with the rolls of a namespace, one line each; `expected` gives the right number for a Deployment. */
export function judgeRolls(rolls: Rolls, expected: (deployment: string) => number): readonly string[] {
  return [...rolls].flatMap(([deployment, times]) => {
    const right = expected(deployment);
    if (times.length < right) return [`missed: ${deployment} rolled ${times.length} of ${right} times`];
    if (times.length > right) return [`spurious: ${deployment} rolled ${times.length} times, not ${right}`];
    return [];
  });
}

/** Where changes may be merged: never more rolls than writes, and one after the last write at least. */
export function judgeMerged(
  rolls: Rolls,
  writesOf: (deployment: string) => readonly number[],
): readonly string[] {
  return [...rolls].flatMap(([deployment, times]) => {
    const writes = writesOf(deployment);
    if (times.length > writes.length)
      return [`spurious: ${deployment} rolled ${times.length} times for ${writes.length} writes`];
    if (writes.length > 0 && Math.max(0, ...times) < Math.max(...writes))
      return [`missed: the last write of ${deployment} was never rolled out`];
    return [];
  });
}

/** How many rolls did not come, and how many came too often. */
export function countWrong(
  rolls: Rolls,
  expected: (deployment: string) => number,
): { readonly missed: number; readonly spurious: number } {
  const surplus = [...rolls].map(([deployment, times]) => times.length - expected(deployment));
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + Math.max(0, value), 0);
  return { missed: total(surplus.map((value) => -value)), spurious: total(surplus) };
}

export function countRolls(rolls: Rolls): number {
  return [...rolls.values()].reduce((sum, times) => sum + times.length, 0);
}
