import { el, type ViewElement } from "../view-node.ts";

/** A form that filters a list by its address, so it works without a script. */
export function filterForm(
  path: string,
  query: URLSearchParams,
  fields: readonly (readonly [name: string, label: string])[],
): ViewElement {
  const inputs = fields.map(([name, label]) =>
    el("label", {}, label, el("input", { name, value: query.get(name) ?? "", autocomplete: "off" })),
  );
  return el(
    "form",
    { action: path, method: "get", role: "search" },
    ...inputs,
    el("button", { type: "submit" }, "Filter"),
  );
}
