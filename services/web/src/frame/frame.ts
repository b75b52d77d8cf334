import { spanText } from "../age.ts";
import type { Place } from "../place.ts";
import { el, link, type ViewElement } from "../view-node.ts";

const entries = [
  ["/", "Now", ["now"]],
  ["/changes", "Changes", ["changes", "change"]],
  ["/clusters", "Clusters", ["clusters"]],
  ["/queue", "Queue", ["queue"]],
  ["/held", "Holds", ["held"]],
  ["/audit", "Audit", ["audit"]],
] as const satisfies readonly (readonly [string, string, readonly Place["view"][]])[];

/** Links to all views. The present view is marked. */
export function navigation({ view }: Place): ViewElement {
  return el(
    "nav",
    { "aria-label": "Views" },
    ...entries.map(([href, name, views]) =>
      views.some((one) => one === view) ? el("a", { href, "aria-current": "page" }, name) : link(href, name),
    ),
    el("a", { href: "/history?since=1h", class: "apart" }, "History"),
  );
}

/** The title of a view, for the browser's tab. */
export function titleOf(place: Place): string {
  const name = placeName(place);
  return name === "" ? "fleet-reloader" : `${name} · fleet-reloader`;
}

/** The name of a view before its answer is there; empty when there is no such view. */
export function placeName(place: Place): string {
  if (place.view === "sign-in") return "Sign in";
  if (place.view === "terminal") return "Sign in a terminal";
  if ("object" in place) return `${place.object.kind} ${place.object.name}`;
  const [, name = ""] = entries.find(([, , views]) => views.some((one) => one === place.view)) ?? [];
  return name;
}

/** The age of the shown answer. While the page is live, it asks for newer content as soon as there is some. */
export function freshness(shownMs: number | undefined, nowMs: number, isLive: boolean): string {
  if (shownMs === undefined) return "";
  return `${isLive ? "live, " : ""}${spanText(nowMs - shownMs)} old`;
}

/** How long the loss of the history is shown: as long as a view without a start time would show some of the lost records. */
const lossShownMs = 3_600_000;

/** Says that the history is lost; empty if it is not, or that was long ago. */
export function lossNotice(lostMs: number | undefined, nowMs: number): string {
  if (lostMs === undefined || nowMs - lostMs > lossShownMs) return "";
  const time = new Date(lostMs).toISOString().slice(11, 19);
  return `⚠ the history before ${time} UTC is gone: Redis lost it. What follows is shown.`;
}

/** Says why the content is old; empty if nothing is wrong. The text does not change while the age grows, so a screen reader reads it once. */
export function staleness(shownMs: number | undefined, isFailing: boolean): string {
  if (!isFailing) return "";
  return shownMs === undefined ? "⚠ no answer yet" : "⚠ stale: the last question had no answer";
}
