import type { Place } from "./place.ts";
import { el, link, type ViewElement } from "./view-node.ts";

const entries = [
  ["/", "Now", ["now"]],
  ["/changes", "Changes", ["changes", "change"]],
  ["/clusters", "Clusters", ["clusters"]],
  ["/held", "On hold", ["held"]],
] as const satisfies readonly (readonly [string, string, readonly Place["view"][]])[];

/** The way to the other views; the one where somebody is, is marked. */
export function navigation({ view }: Place): ViewElement {
  return el(
    "nav",
    { "aria-label": "Views" },
    ...entries.map(([href, name, views]) =>
      views.some((one) => one === view) ? el("a", { href, "aria-current": "page" }, name) : link(href, name),
    ),
    el("a", { href: "/queues", class: "apart" }, "Queue"),
    el("a", { href: "/history?since=1h" }, "History"),
  );
}

/** The title of a view, for the browser's tab. */
export function titleOf(place: Place): string {
  switch (place.view) {
    case "now":
      return "Now · fleet-reloader";
    case "changes":
    case "change":
      return "Changes · fleet-reloader";
    case "clusters":
      return "Clusters · fleet-reloader";
    case "held":
      return "On hold · fleet-reloader";
    case "workload":
    case "source":
      return `${place.object.kind} ${place.object.name} · fleet-reloader`;
    case "nowhere":
      return "fleet-reloader";
  }
}

/** How old what is shown is, and why there is nothing newer. */
export function freshness(shownMs: number | undefined, nowMs: number, isFailing: boolean): string {
  if (shownMs === undefined) return isFailing ? "no answer yet" : "";
  const seconds = Math.max(0, Math.round((nowMs - shownMs) / 1000));
  return isFailing ? `⚠ ${seconds} s old: the last question had no answer` : `${seconds} s old`;
}
