import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { activitySection } from "../activity/activity-section.ts";
import { oldestText } from "../age.ts";
import { heldAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, link, section, table, tiles, type ViewNode } from "../view-node.ts";
import { changeHeadings, changeRow } from "./change-rows.ts";
import { clusterHeadings, clusterRow } from "./clusters.ts";
import { countedTitle, freezeSection } from "./freeze-table.ts";
import type { PlottedPage } from "./page-end.ts";

type Status = ApiAnswer<"status">;

/** Everything that needs a person now. */
export function nowView(
  status: Status,
  { activity, permits, query }: Pick<PlottedPage, "activity" | "permits" | "query">,
  nowMs: number,
): readonly ViewNode[] {
  const { changes, clusters } = status;
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
        rows: clusters.sick.map((cluster) => clusterRow(cluster, permits, nowMs)),
        count: clusters.sickCount,
        none: allWell(clusters.count),
      }),
      link("/clusters", "All clusters"),
    ),
    freezeSection(status, permits),
    activitySection(activity, query.get("since") ?? ""),
  ];
}

/** A person whose grants match no registered cluster sees none. */
function allWell(count: number): string {
  if (count === 0) return "No cluster is registered, or none is shown to you.";
  return count === 1 ? "1 cluster is well." : `All ${count} clusters are well.`;
}

function summary({ held, queue }: Status): ViewNode {
  const reasons = Object.entries(held).map(([reason, count]) =>
    el("span", {}, link(heldAddress(reason), stateMark("held", `${count} ${reason}`)), " "),
  );
  return tiles([
    ...(queue === undefined
      ? []
      : ([
          ["Oldest request", link("/queue", oldestText(queue))],
          ["Queue", `${queue.waiting + queue.prioritized} waiting, ${queue.active} running`],
        ] as const)),
    ["On hold", reasons.length === 0 ? "nothing" : el("span", {}, ...reasons)],
  ]);
}
