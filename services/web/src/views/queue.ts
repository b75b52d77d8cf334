import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { sumOfCounts } from "@fleet-reloader/engine/overview/by-reason";
import { activitySection } from "../activity/activity-section.ts";
import { actButtons, type Permits } from "../acts/act-offer.ts";
import { discardAllOffer } from "../acts/offered-acts.ts";
import { oldestText } from "../age.ts";
import { heldAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, facts, link, section, type ViewNode } from "../view-node.ts";
import { filterForm } from "./filter-form.ts";
import type { PlottedPage } from "./page-end.ts";
import { reasonTable } from "./reason-table.ts";

/** Requests that wait, run, are on hold or failed. The age comes first, because it shows whether anything is late. */
export function queueView(
  answer: ApiAnswer<"queue">,
  { activity, permits, query }: Pick<PlottedPage, "activity" | "permits" | "query">,
): readonly ViewNode[] {
  const { failed, held, queue } = answer;
  return [
    el("h1", {}, "Queue"),
    facts([
      ...(queue === undefined ? [] : queueFacts(queue)),
      ["On hold", String(sumOfCounts(held))],
      ["Failed", failedCountText(sumOfCounts(failed), query.get("since") || "1h")],
    ]),
    section(
      "On hold by reason",
      reasonTable({
        label: "Requests on hold by reason",
        counts: held,
        counted: "Requests",
        markOf: (reason) => link(heldAddress(reason), stateMark("held", reason)),
        none: "Nothing is on hold.",
      }),
      link("/held", "All holds"),
    ),
    section(
      "Failed by reason",
      filterForm("/queue", query, [["since", "Since (1h)"]]),
      ...(answer.isCut
        ? [
            el(
              "p",
              { class: "notice" },
              "Not all records were read: there are newer ones. Give a later start.",
            ),
          ]
        : []),
      reasonTable({
        label: "Workloads whose last roll failed or stalled, by reason",
        counts: failed,
        counted: "Workloads",
        markOf: (reason) => failedMark(reason, query.get("since") ?? "", permits),
        none: "The last roll of every workload went well, or goes on.",
      }),
      link("/changes", "All changes"),
    ),
    activitySection(activity, query.get("since") ?? ""),
    queue === undefined
      ? el(
          "p",
          { class: "end" },
          "You see a part of the fleet, so the counts of its whole queue are left out.",
        )
      : el("p", { class: "end" }, el("a", { href: "/queues" }, "Every entry, on the queue board")),
  ];
}

function failedCountText(count: number, since: string): string {
  return `${count} workload${count === 1 ? "" : "s"} since ${since}`;
}

/** A person who may act everywhere can discard all failed rolls of a reason. Others discard them workload by workload. */
function failedMark(reason: string, since: string, permits: Permits): ViewNode {
  const mark = stateMark("failed", reason);
  const discard = actButtons(permits, { cluster: "", namespace: "" }, [discardAllOffer(reason, since)]);
  return discard.length === 0 ? mark : el("span", {}, mark, " ", ...discard);
}

/** Counts that cannot be divided by cluster and namespace. */
function queueFacts(
  queue: NonNullable<ApiAnswer<"queue">["queue"]>,
): readonly (readonly [string, ViewNode])[] {
  return [
    ["Oldest request", oldestText(queue)],
    ["Waiting", `${queue.waiting + queue.prioritized}, for a worker`],
    ["Running", String(queue.active)],
    ["Delayed", `${queue.delayed}, for a quiet period, another attempt or the next check of a rollout`],
  ];
}
