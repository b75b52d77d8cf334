/** A part of the page: a text or an element. A text is never markup. */
export type ViewNode = string | ViewElement;

/** An element of the page, before a browser has made it. */
export interface ViewElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly ViewNode[];
}

/** An element with its children. */
export function el(
  tag: string,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly ViewNode[]
): ViewElement {
  return { tag, attributes, children };
}

/** A link to an address of this page. */
export function link(href: string, ...children: readonly ViewNode[]): ViewElement {
  return el("a", { href }, ...children);
}

/** Whether an address belongs to this site. The page links to no other address. */
export function isOwnAddress(href: string): boolean {
  return /^\/(?![/\\\t\n\r])/.test(href);
}

/** A heading and the content below it. */
export function section(title: string, ...children: readonly ViewNode[]): ViewElement {
  return el("section", {}, el("h2", {}, title), ...children);
}

/** A list of facts: names and values. */
export function facts(pairs: readonly (readonly [string, ViewNode])[]): ViewElement {
  return el("dl", {}, ...pairs.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/** Facts in frames, for the few that are read first. */
export function tiles(pairs: readonly (readonly [string, ViewNode])[]): ViewElement {
  const framed = pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), " ", el("dd", {}, value)));
  return el("dl", { class: "tiles" }, ...framed);
}

/** A table with the number of rows on all pages; a sentence when there are none. */
export function table(what: {
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly ViewNode[])[];
  readonly count: number;
  readonly none: string;
}): ViewElement {
  const { count, headings, label, none, rows } = what;
  if (rows.length === 0)
    return el(
      "p",
      { class: "none" },
      count === 0 ? none : `${count} do not fit here; the list has them all.`,
    );
  const head = el("tr", {}, ...headings.map((heading) => el("th", { scope: "col" }, heading)));
  const body = rows.map((cells) =>
    el(
      "tr",
      {},
      ...cells.map((cell, at) => (at === 0 ? el("th", { scope: "row" }, cell) : el("td", {}, cell))),
    ),
  );
  return el(
    "div",
    // Focusable, so that keys can scroll a table that is wider than the screen.
    { class: "wide", role: "region", "aria-label": label, tabindex: "0" },
    el(
      "table",
      { "aria-label": label, "aria-rowcount": String(count + 1) },
      el("thead", {}, head),
      el("tbody", {}, ...body),
    ),
  );
}

/** A text of the nodes without ages: if it is equal, the drawings differ only in the ages of the same times. */
export function ageless(nodes: readonly ViewNode[]): string {
  return JSON.stringify(nodes, (_, value) => (value?.tag === "time" ? value.attributes : value));
}
