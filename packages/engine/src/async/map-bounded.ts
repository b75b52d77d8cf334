/**
 * Works on all items, on at most so many at once. Resolves to the results in the order of the items. After the first failure, which is
 * that of the whole, no further item begins.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  // A loop that throws closes its generator, and so ends the loops beside it.
  const left = (function* () {
    yield* items.entries();
  })();
  const takeNext = async (): Promise<void> => {
    for (const [at, item] of left) results[at] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, takeNext));
  return results;
}
