/** Counts items by reason, most frequent first. Items without a reason are counted under `fallback`. */
export function countByReason(
  all: readonly { readonly reason?: string | undefined }[],
  fallback = "Unknown",
): Readonly<Record<string, number>> {
  const counts = [...Map.groupBy(all, ({ reason = fallback }) => reason)].map(
    ([reason, its]) => [reason, its.length] as const,
  );
  return Object.fromEntries(counts.toSorted(([, a], [, b]) => b - a));
}

/** The sum over all reasons. */
export function sumOfCounts(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
