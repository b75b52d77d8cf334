import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { el, section, table, type ViewElement, type ViewNode } from "../view-node.ts";
import { lengthText, slotText, slotTime } from "./activity-text.ts";
import { type PlotBar, plotImage } from "./plot.ts";

/** The API's answer about the activity; undefined: it has not answered yet. */
export type ShownActivity = ApiAnswer<"activity"> | undefined;

type PlottedSlot = ApiAnswer<"activity">["slots"][number];

/** How the page shows one kind of figures. */
interface Figures {
  readonly title: string;
  readonly means: string;
  /** The largest value drawn, as the plot labels it. */
  readonly most: string;
  /** A sentence that describes the plot, without its time range. */
  readonly sentence: string;
  readonly bars: readonly PlotBar[];
  readonly headings: readonly string[];
  /** The cells of a slot; undefined when it has nothing to show. */
  readonly cells: (slot: PlottedSlot) => readonly string[] | undefined;
  readonly none: string;
}

/** Rolls, latency and age over time: a plot of each, and a table with the same figures below it. */
export function activitySection(activity: ShownActivity, since: string): ViewElement {
  const title = `Activity since ${since || "1h"}`;
  if (activity === undefined) return section(title, el("p", { class: "none plots" }, "Asking…"));
  const { isCut, slots } = activity;
  const notice = isCut
    ? [el("p", { class: "notice" }, "Not all records were read: the newest are left out.")]
    : [];
  const all = [rollFigures(slots), latencyFigures(slots), ageFigures(slots)];
  return section(title, ...notice, el("div", { class: "plots" }, ...all.map((one) => card(one, activity))));
}

function card(figures: Figures, { slotMs, slots }: ApiAnswer<"activity">): ViewNode {
  const { bars, cells, headings, means, most, none, sentence, title } = figures;
  const isOfDays = slots.length * slotMs > 86_400_000;
  const timeOf = ({ from }: PlottedSlot) => slotTime(from, isOfDays);
  const [first, last] = [slots[0], slots.at(-1)];
  const from = first === undefined ? "" : timeOf(first);
  const to = last === undefined ? "" : timeOf(last);
  const rows = slots.toReversed().flatMap((slot) => {
    const shown = cells(slot);
    return shown === undefined ? [] : [[timeOf(slot), ...shown]];
  });
  return el(
    "figure",
    { class: "plot" },
    el("figcaption", {}, el("strong", {}, title), " ", el("span", {}, means)),
    el("p", { class: "most", "aria-hidden": "true" }, most),
    plotImage(bars, `${title} from ${from} to ${to} UTC, each bar is ${slotText(slotMs)}: ${sentence}`),
    el("p", { class: "axis", "aria-hidden": "true" }, el("span", {}, from), el("span", {}, `${to} UTC`)),
    table({
      label: `${title}: figures`,
      headings: [`Per ${slotText(slotMs)}`, ...headings],
      rows,
      count: rows.length,
      none,
    }),
  );
}

function rollFigures(slots: readonly PlottedSlot[]): Figures {
  const sum = (pick: (slot: PlottedSlot) => number) => slots.reduce((all, slot) => all + pick(slot), 0);
  const [rolled, failed] = [sum((slot) => slot.rolled), sum((slot) => slot.failed)];
  const most = Math.max(0, ...slots.map((slot) => slot.rolled));
  return {
    title: "Rolls",
    means: "▲ rolled, ▼ failed or stalled",
    most: most === 0 ? "" : String(most),
    sentence: `${rolled} rolled, ${failed} failed or stalled; at most ${most} rolls in one bar`,
    bars: slots.map((slot) => ({ up: slot.rolled, down: slot.failed })),
    headings: ["Rolled", "Failed"],
    cells: (slot) =>
      slot.rolled + slot.failed === 0 ? undefined : [String(slot.rolled), String(slot.failed)],
    none: "Nothing was rolled, and nothing failed.",
  };
}

function latencyFigures(slots: readonly PlottedSlot[]): Figures {
  const most = largest(slots.map((slot) => slot.slowestMs));
  return {
    title: "Latency",
    means: "from the write of a source to the roll: median, slowest",
    most: cellText(most),
    sentence:
      most === undefined ? "no roll is dated" : `the slowest roll came ${lengthText(most)} after the write`,
    bars: slots.map((slot) => ({ up: slot.medianMs, reach: slot.slowestMs })),
    headings: ["Median", "Slowest"],
    cells: ({ medianMs, slowestMs }) =>
      medianMs === undefined ? undefined : [cellText(medianMs), cellText(slowestMs)],
    none: "No roll for a dated write.",
  };
}

function ageFigures(slots: readonly PlottedSlot[]): Figures {
  const most = largest(slots.map((slot) => slot.oldestMs));
  const now = slots.at(-1)?.oldestMs;
  return {
    title: "Age",
    means: "of the oldest that is on hold or rolling",
    most: cellText(most),
    sentence:
      now === undefined ? "nothing is on hold or rolling now" : `the oldest is ${lengthText(now)} old now`,
    bars: slots.map((slot) => ({ up: slot.oldestMs })),
    headings: ["Oldest"],
    cells: ({ oldestMs }) => (oldestMs === undefined ? undefined : [cellText(oldestMs)]),
    none: "Nothing was on hold or rolling.",
  };
}

function largest(all: readonly (number | undefined)[]): number | undefined {
  const known = all.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

function cellText(ms: number | undefined): string {
  return ms === undefined ? "" : lengthText(ms);
}
