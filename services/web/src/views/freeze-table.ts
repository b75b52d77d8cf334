import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { describeScope } from "@fleet-reloader/domain/hold/freeze";
import { until } from "../age.ts";
import { section, table, type ViewElement, type ViewNode } from "../view-node.ts";

/** The freezes in force: what, why, who set it, until when. */
export function freezeSection({
  freezes,
  freezeCount,
}: Pick<ApiAnswer<"status">, "freezes" | "freezeCount">): ViewElement {
  return section(
    countedTitle(freezeCount, "freeze", "in force"),
    table({
      label: "Freezes in force",
      headings: ["What", "Why", "By", "Until"],
      rows: freezes.map(freezeRow),
      count: freezeCount,
      none: "Nothing is frozen. The command fleet-reloader freeze sets a freeze.",
    }),
  );
}

/** A heading that begins with how many there are. */
export function countedTitle(count: number, what: string, which: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"} ${which}`;
}

function freezeRow({
  scope,
  reason,
  by,
  untilMs,
}: ApiAnswer<"status">["freezes"][number]): readonly ViewNode[] {
  return [
    describeScope(scope),
    reason,
    by,
    untilMs === undefined ? "somebody lifts it" : until(new Date(untilMs).toISOString()),
  ];
}
