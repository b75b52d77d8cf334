/** How many of them have each reason, the most frequent first. One without a reason is counted under `fallback`. */
export function countByReason(
  all: readonly { readonly reason?: string | undefined }[],
  fallback = "Unknown",
): Readonly<Record<string, number>> {
  const counts = [...Map.groupBy(all, ({ reason = fallback }) => reason)].map(
    ([reason, its]) => [reason, its.length] as const,
  );
  return Object.fromEntries(counts.toSorted(([, a], [, b]) => b - a));
}

/** How many there are of all reasons. */
export function sumOfCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
