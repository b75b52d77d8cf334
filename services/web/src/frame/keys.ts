import type { PageDocument, PageElement } from "../browser.ts";

/** Keys: `/` goes to the first filter, `j` and `k` to the next and the previous row, `?` shows the keys. */
export function serveKeys(document: PageDocument, dialogOfKeys: PageElement | null): void {
  document.addEventListener("keydown", (event) => {
    const { altKey, ctrlKey, key, metaKey, target } = event;
    if (altKey || ctrlKey || metaKey || target?.closest("input, dialog")) return;
    if (key === "?") dialogOfKeys?.showModal?.();
    if (key === "/") {
      const [first] = document.querySelectorAll("form input");
      if (first === undefined) return;
      event.preventDefault();
      first.focus();
    }
    if (key === "j") focusRow(document, 1);
    if (key === "k") focusRow(document, -1);
  });
}

/** Moves the focus by this many rows. */
function focusRow(document: PageDocument, step: number): void {
  const rows = [...document.querySelectorAll("tbody th a, tbody td:first-child a")];
  const active = document.activeElement;
  const at = active === null ? -1 : rows.indexOf(active);
  rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus();
}
