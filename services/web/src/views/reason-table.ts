import { reasonText } from "@fleet-reloader/engine/ask/reason-texts";
import { table, type ViewElement, type ViewNode } from "../view-node.ts";

/** How many there are of each reason, with what it means and what to do. */
export function reasonTable(what: {
  readonly label: string;
  readonly counts: Readonly<Record<string, number>>;
  /** What is counted, as a heading. */
  readonly counted: string;
  readonly markOf: (reason: string) => ViewNode;
  readonly none: string;
}): ViewElement {
  const { counted, counts, label, markOf, none } = what;
  const all = Object.entries(counts);
  return table({
    label,
    headings: ["Reason", counted, "Means"],
    rows: all.map(([reason, count]) => [markOf(reason), String(count), meaningOf(reason)]),
    count: all.length,
    none,
  });
}

/** The reason itself is in the first column. Those of pods are not ours. */
function meaningOf(reason: string): string {
  const meaning = reasonText(reason)
    .slice(reason.length + 1)
    .trim();
  return meaning || "In the words of Kubernetes. Its change has the rest of what the pod says.";
}
