import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { describeScope, unreadableFreezesText } from "@fleet-reloader/domain/hold/freeze";
import { actButtons, actRow, type Permits } from "../acts/act-offer.ts";
import { freezeFleetOffer, liftOffer, placeOfScope } from "../acts/offered-acts.ts";
import { until } from "../age.ts";
import { stateMark } from "../state-mark.ts";
import { el, section, table, type ViewElement, type ViewNode } from "../view-node.ts";

/** The freezes in force: scope, reason, author and end. */
export function freezeSection(
  answer: Pick<ApiAnswer<"status">, "freezes" | "freezeCount" | "unreadableFreezes">,
  permits: Permits,
): ViewElement {
  const { freezes, freezeCount, unreadableFreezes: why } = answer;
  return section(
    countedTitle(freezeCount, "freeze", "in force"),
    ...(why === undefined
      ? []
      : [el("p", {}, stateMark("held", "FreezeUnreadable"), ` ${unreadableFreezesText(why)}`)]),
    table({
      label: "Freezes in force",
      headings: ["What", "Why", "By", "Until"],
      rows: freezes.map((freeze) => freezeRow(freeze, permits)),
      count: freezeCount,
      none:
        why === undefined
          ? "Nothing is frozen. The command fleet-reloader freeze sets a freeze."
          : "Nobody knows what is frozen.",
    }),
    ...actRow(permits, { cluster: "", namespace: "" }, [freezeFleetOffer]),
  );
}

/** A heading that begins with the count. */
export function countedTitle(count: number, what: string, which: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"} ${which}`;
}

function freezeRow(
  { by, missing, reason, scope, untilMs }: ApiAnswer<"status">["freezes"][number],
  permits: Permits,
): readonly ViewNode[] {
  const lift = actButtons(permits, placeOfScope(scope), [liftOffer({ scope })]);
  return [
    lift.length === 0 ? describeScope(scope) : el("span", {}, `${describeScope(scope)} `, ...lift),
    missing === undefined ? reason : `${reason}; it covers nothing: ${missing}`,
    by,
    untilMs === undefined ? "somebody lifts it" : until(new Date(untilMs).toISOString()),
  ];
}
