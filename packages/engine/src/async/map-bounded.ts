/**
 * Works on all items, on at most `atOnce` of them at the same time. Resolves to the results in the order of the items. Rejects with the
 * first failure, after which no further item begins.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  // A loop that throws closes the shared generator, and so ends the other loops.
  const left = (function* () {
    yield* items.entries();
  })();
  const takeNext = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, takeNext));
  return results;
}
