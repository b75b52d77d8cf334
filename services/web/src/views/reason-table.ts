import { reasonText } from "@fleet-reloader/engine/ask/reason-texts";
import { table, type ViewElement, type ViewNode } from "../view-node.ts";

/** The count of each reason, its meaning and what to do. */
export function reasonTable(what: {
  readonly label: string;
  readonly counts: Readonly<Record<string, number>>;
  /** The heading of the counts. */
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

/** The meaning without the reason, which is in the first column. Reasons of pods are not ours and have none. */
function meaningOf(reason: string): string {
  const meaning = reasonText(reason)
    .slice(reason.length + 1)
    .trim();
  return meaning || "In the words of Kubernetes. Its change has the rest of what the pod says.";
}
