import type { ShownActivity } from "../activity/activity-section.ts";
import type { Permits } from "../acts/act-offer.ts";
import { addressOfPage } from "../place.ts";
import { el, link, type ViewNode } from "../view-node.ts";

/** The page that shows a list. */
export interface PageOfList {
  /** The path of the page, without its query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A page that offers acts. */
export interface OfferingPage extends PageOfList {
  readonly permits: Permits;
}

/** A page with plots. */
export interface PlottedPage extends OfferingPage {
  readonly activity: ShownActivity;
}

/** The number of shown elements, and a link to the rest. */
export function pageEnd(
  { count, next }: { readonly count: number; readonly next?: string | undefined },
  shown: number,
  what: string,
  { path, query }: PageOfList,
): ViewNode {
  const all = `${count} ${what}${count === 1 ? "" : "s"}`;
  const text = shown === count ? all : `${shown} of ${all}`;
  const rest = new URLSearchParams([...query].filter(([name]) => name !== "cursor"));
  const first = query.has("cursor") ? [" ", link(firstAddress(path, rest), "First page")] : [];
  const more = next === undefined ? [] : [" ", link(addressOfPage(path, query, next), "Next page")];
  return el("p", { class: "end" }, text, ...first, ...more);
}

function firstAddress(path: string, query: URLSearchParams): string {
  return query.size === 0 ? path : `${path}?${query}`;
}
