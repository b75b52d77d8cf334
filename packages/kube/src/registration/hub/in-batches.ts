/**
 * As many as connections carry at once, each a request: the others would wait for one of them, and their deadline has begun. The
 * same number as of what is read of sources at once elsewhere.
 */
const batchSize = 16;

/** What `read` makes of each, in their order; the first failure is the failure of all. */
export async function inBatches<T, R>(
  items: readonly T[],
  read: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const made: R[] = [];
  for (let at = 0; at < items.length; at += batchSize)
    made.push(...(await Promise.all(items.slice(at, at + batchSize).map(read))));
  return made;
}
