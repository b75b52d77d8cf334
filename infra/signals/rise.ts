/**
 * PromQL: by how much the series of a counter rose in the window, summed by these labels.
 *
 * A series that was not there a window ago rose by its whole value: a worker that KEDA started, or that takes over from another one,
 * may show its first sample at 1, and `increase` answers 0 for that. It stands first, since `or` takes the right side only where the
 * left has nothing. The greatest value counts, so a worker that is gone again is told of for the whole window.
 *
 * A series is old as well when it was scraped within an hour before the window: a Prometheus that was away for less than that does not
 * take an old counter for a new one.
 */
export function riseBy(labels: readonly string[], series: string): string {
  const fresh = `max_over_time(${series}[$window]) unless last_over_time(${series}[1h] offset $window)`;
  const by = labels.length === 0 ? "" : ` by (${labels.join(", ")}) `;
  return `sum${by}((${fresh}) or increase(${series}[$window]))`;
}
