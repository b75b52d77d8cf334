import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { describeScope } from "@fleet-reloader/domain/hold/freeze";
import { spanText, until } from "../age.ts";
import { stateMark } from "../state-mark.ts";
import { el, facts, link, section, table, type ViewNode } from "../view-node.ts";
import { changeHeadings, changeRow } from "./change-rows.ts";
import { clusterHeadings, clusterRow } from "./clusters.ts";

type Status = ApiAnswer<"status">;
type ShownFreeze = Status["freezes"][number];

/** What needs somebody now. */
export function nowView(status: Status, nowMs: number): readonly ViewNode[] {
  const { changes, clusters, freezes, freezeCount } = status;
  return [
    el("h1", {}, "Now"),
    ...(status.isCut
      ? [el("p", { class: "notice" }, "Not all records were read: there are newer ones.")]
      : []),
    summary(status),
    section(
      countedTitle(changes.openCount, "change", "not done"),
      table({
        label: "Changes that are not done",
        headings: changeHeadings,
        rows: changes.open.map((change) => changeRow(change, nowMs)),
        count: changes.openCount,
        none: `Nothing is failed, stalled, held or still rolling of the ${changes.count} changes of the last hour.`,
      }),
      link("/changes", "All changes"),
    ),
    section(
      countedTitle(clusters.sickCount, "cluster", "with a problem"),
      table({
        label: "Clusters with a problem",
        headings: clusterHeadings,
        rows: clusters.sick.map(clusterRow),
        count: clusters.sickCount,
        none: `All ${clusters.count} clusters are well.`,
      }),
      link("/clusters", "All clusters"),
    ),
    section(
      countedTitle(freezeCount, "freeze", "in force"),
      table({
        label: "Freezes in force",
        headings: ["What", "Why", "By", "Until"],
        rows: freezes.map(freezeRow),
        count: freezeCount,
        none: "Nothing is frozen. The command fleet-reloader freeze sets a freeze.",
      }),
    ),
  ];
}

function countedTitle(count: number, what: string, which: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"} ${which}`;
}

function summary({ held, queue }: Status): ViewNode {
  const oldest = queue.oldestMs === undefined ? "nothing waits" : `${spanText(queue.oldestMs)} old`;
  const reasons = Object.entries(held).map(([reason, count]) =>
    el(
      "span",
      {},
      link(`/held?reason=${encodeURIComponent(reason)}`, stateMark("held", `${count} ${reason}`)),
      " ",
    ),
  );
  return facts([
    ["Oldest request", oldest],
    ["Queue", `${queue.waiting + queue.prioritized} waiting, ${queue.active} running`],
    ["On hold", reasons.length === 0 ? "nothing" : el("span", {}, ...reasons)],
  ]);
}

function freezeRow({ scope, reason, by, untilMs }: ShownFreeze): readonly ViewNode[] {
  return [
    describeScope(scope),
    reason,
    by,
    untilMs === undefined ? "somebody lifts it" : until(new Date(untilMs).toISOString()),
  ];
}
