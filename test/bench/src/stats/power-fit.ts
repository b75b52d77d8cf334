export interface Point {
  readonly n: number;
  readonly cost: number;
}

/** cost = a + b·n^s, least squares, with a and b not below 0. */
export interface PowerFit {
  readonly a: number;
  readonly b: number;
  readonly s: number;
  /** Share of the variation that it explains. */
  readonly rSquared: number;
  /** What grows is below 5 % of what does not, at the largest n: then s means nothing. */
  readonly isFlat: boolean;
}

/** Beyond a cube nothing of ours is worth describing. */
const slopeMax = 3;
const slopeStep = 0.01;
const flatShare = 0.05;

/** Undefined with fewer than four points: three parameters go through any three. */
export function fitPower(points: readonly Point[]): PowerFit | undefined {
  if (points.length < 4) return undefined;
  let best: { a: number; b: number; s: number; error: number } | undefined;
  for (let step = 1; step <= slopeMax / slopeStep; step += 1) {
    const s = step * slopeStep;
    const line = fitLine(points.map(({ n, cost }) => ({ x: n ** s, y: cost })));
    if (best === undefined || line.error < best.error) best = { ...line, s };
  }
  if (best === undefined) return undefined;
  const { a, b, s, error } = best;
  const mean = points.reduce((sum, { cost }) => sum + cost, 0) / points.length;
  const variation = points.reduce((sum, { cost }) => sum + (cost - mean) ** 2, 0);
  const largest = Math.max(...points.map(({ n }) => n));
  return {
    a,
    b,
    s: Math.round(s * 100) / 100,
    rSquared: variation === 0 ? 1 : 1 - error / variation,
    isFlat: b * largest ** s <= flatShare * a,
  };
}

function fitLine(points: readonly { readonly x: number; readonly y: number }[]): {
  readonly a: number;
  readonly b: number;
  readonly error: number;
} {
  const count = points.length;
  const sum = (value: (point: { x: number; y: number }) => number) =>
    points.reduce((total, point) => total + value(point), 0);
  const meanX = sum(({ x }) => x) / count;
  const meanY = sum(({ y }) => y) / count;
  const spreadX = sum(({ x }) => (x - meanX) ** 2);
  let b = spreadX === 0 ? 0 : Math.max(0, sum(({ x, y }) => (x - meanX) * (y - meanY)) / spreadX);
  let a = meanY - b * meanX;
  if (a < 0) {
    a = 0;
    const squares = sum(({ x }) => x * x);
    b = squares === 0 ? 0 : sum(({ x, y }) => x * y) / squares;
  }
  return { a, b, error: sum(({ x, y }) => (y - a - b * x) ** 2) };
}

export function describeFit(fit: PowerFit | undefined, unit: string): string {
  if (fit === undefined) return "too few sizes for a slope";
  const quality = `R² ${fit.rSquared.toFixed(3)}`;
  if (fit.isFlat) return `flat: ${fit.a.toPrecision(3)} ${unit} whatever n`;
  return `${fit.a.toPrecision(3)} + ${fit.b.toPrecision(3)}·n^${fit.s.toFixed(2)} ${unit} (${quality})`;
}
