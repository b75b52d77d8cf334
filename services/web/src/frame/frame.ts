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

/** The way to the other views; the one where somebody is, is marked. */
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

/** What a view is called before its answer is there; empty: there is no such view. */
export function placeName(place: Place): string {
  if (place.view === "sign-in") return "Sign in";
  if (place.view === "terminal") return "Sign in a terminal";
  if ("object" in place) return `${place.object.kind} ${place.object.name}`;
  const [, name = ""] = entries.find(([, , views]) => views.some((one) => one === place.view)) ?? [];
  return name;
}

/** How old what is shown is. While it is live, what is newer is asked for as soon as there is something. */
export function freshness(shownMs: number | undefined, nowMs: number, isLive: boolean): string {
  if (shownMs === undefined) return "";
  return `${isLive ? "live, " : ""}${spanText(nowMs - shownMs)} old`;
}

/** What Redis has lost: shown as long as a view without a start would show some of it. */
const lossShownMs = 3_600_000;

/** That the history is gone; empty: it is not, or that was long ago. */
export function lossNotice(lostMs: number | undefined, nowMs: number): string {
  if (lostMs === undefined || nowMs - lostMs > lossShownMs) return "";
  const time = new Date(lostMs).toISOString().slice(11, 19);
  return `⚠ the history before ${time} UTC is gone: Redis lost it. What follows is shown.`;
}

/** Why there is nothing newer; empty: nothing is wrong. It stays the same while the age grows, so that it is read out once. */
export function staleness(shownMs: number | undefined, isFailing: boolean): string {
  if (!isFailing) return "";
  return shownMs === undefined ? "⚠ no answer yet" : "⚠ stale: the last question had no answer";
}
