import type { CompilePattern } from "@fleet-reloader/domain/annotation/name-list";

/** Patterns that take a while each. Only those that begin with `last` match. */
export const compileBusy: CompilePattern = (source) => ({
  cost: 1,
  matches() {
    const untilMs = performance.now() + 2;
    while (performance.now() < untilMs);
    return source.startsWith("^last");
  },
});

/** What comes of it, and how often everything else had its turn meanwhile. */
export async function withTurns<T>(
  work: Promise<T>,
): Promise<{ readonly result: T; readonly turns: number }> {
  let isOver = false;
  const watched = work.finally(() => {
    isOver = true;
  });
  let turns = 0;
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  return { result: await watched, turns };
}
