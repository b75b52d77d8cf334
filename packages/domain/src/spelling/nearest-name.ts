/**
 * The known name that was most likely meant; undefined when none is near. Case and dashes do not count. Up to `wrongMax` wrong letters are a
 * typing error, by default a third of the letters; more make it another word.
 */
export function nearestName(
  name: string,
  known: readonly string[],
  wrongMax: number = bare(name).length / 3,
): string | undefined {
  const meant = bare(name);
  // The lengths alone exclude most names.
  const near = known.filter((each) => Math.abs(bare(each).length - meant.length) <= wrongMax);
  const byDistance = near.map((each) => ({ each, distance: distance(meant, bare(each)) }));
  const nearest = byDistance.reduce<{ each: string; distance: number } | undefined>(
    (best, one) => (best === undefined || one.distance < best.distance ? one : best),
    undefined,
  );
  return nearest !== undefined && nearest.distance <= wrongMax ? nearest.each : undefined;
}

function bare(name: string): string {
  return name.replaceAll("-", "").toLowerCase();
}

/** Letters to add, remove or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
