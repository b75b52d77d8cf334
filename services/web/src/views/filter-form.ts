import { el, type ViewElement } from "../view-node.ts";

/** A form that filters a list. It is the address that filters: no script is needed. */
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
