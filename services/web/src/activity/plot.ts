import { el, type ViewElement } from "../view-node.ts";

/** Height of a plot and width of a slot, in the picture's own units: the page stretches it. */
const height = 100;
const slotWidth = 10;
/** Minimum height of a value, so that it can be seen beside a much larger one. */
const leastHeight = 3;

/** The bar of one slot; undefined parts are not drawn. */
export interface PlotBar {
  /** Height above the base line. */
  readonly up?: number | undefined;
  /** Height that a thin line on top of it reaches. */
  readonly reach?: number | undefined;
  /** Depth below the base line. */
  readonly down?: number | undefined;
}

/** The bars as a picture, described by one sentence. A table shows the same values. */
export function plotImage(bars: readonly PlotBar[], sentence: string): ViewElement {
  const top = Math.max(...bars.map(({ reach = 0, up = 0 }) => Math.max(reach, up)), 0);
  const bottom = Math.max(...bars.map(({ down = 0 }) => down), 0);
  const unit = height / Math.max(top + bottom, Number.MIN_VALUE);
  const base = bottom === 0 ? height : Math.min(height - leastHeight, top * unit);
  const width = bars.length * slotWidth;
  const long = (value: number) => Math.max(leastHeight, value * unit);
  const marks = bars.flatMap(({ down = 0, reach = 0, up }, at) => {
    const left = at * slotWidth;
    const upward = up ?? 0;
    return [
      ...(reach > upward ? [block("reach", left + 4, base - long(reach), 2, long(reach))] : []),
      ...(up === undefined || (up === 0 && reach === 0)
        ? []
        : [block("up", left + 1, base - long(upward), 8, long(upward))]),
      ...(down === 0 ? [] : [block("down", left + 1, base, 8, long(down))]),
    ];
  });
  const line = { x1: "0", x2: String(width), y1: String(base), y2: String(base), class: "base" };
  return el(
    "svg",
    {
      role: "img",
      "aria-label": sentence,
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: "none",
    },
    ...marks,
    el("line", line),
  );
}

function block(name: string, x: number, y: number, width: number, tall: number): ViewElement {
  const place = { x, y: Math.max(0, y), width, height: tall };
  const written = Object.entries(place).map(([field, value]) => [field, String(Math.round(value * 10) / 10)]);
  return el("rect", { class: name, ...Object.fromEntries(written) });
}
