import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { actButtons, type Permits } from "../acts/act-offer.ts";
import { releaseOffer } from "../acts/offered-acts.ts";
import { until } from "../age.ts";
import { heldAddress, objectAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, link, section, table, type ViewNode } from "../view-node.ts";
import { filterForm } from "./filter-form.ts";
import { freezeSection } from "./freeze-table.ts";
import { type OfferingPage, pageEnd } from "./page-end.ts";
import { reasonTable } from "./reason-table.ts";

/** The freezes, and the requests on hold: the cause of each hold and its end. */
export function heldView(answer: ApiAnswer<"held">, page: OfferingPage): readonly ViewNode[] {
  return [
    el("h1", {}, "Holds"),
    freezeSection(answer, page.permits),
    section(
      "Held by",
      reasonTable({
        label: "What holds requests: freezes, breakers, budgets, clusters",
        counts: answer.reasons,
        counted: "Requests",
        markOf: (reason) => link(heldAddress(reason), stateMark("held", reason)),
        none: "No freeze, breaker, budget or cluster holds anything.",
      }),
    ),
    el("h2", {}, "On hold"),
    filterForm("/held", page.query, [
      ["cluster", "Cluster"],
      ["namespace", "Namespace"],
      ["reason", "Reason"],
    ]),
    table({
      label: "Requests on hold",
      headings: ["Workload", "Cluster", "Reason", "Why", "Until"],
      rows: answer.holds.map((hold) => holdRow(hold, page.permits)),
      count: answer.count,
      none: "Nothing is on hold.",
    }),
    pageEnd(answer, answer.holds.length, "request", page),
  ];
}

function holdRow(hold: ApiAnswer<"held">["holds"][number], permits: Permits): readonly ViewNode[] {
  const { cluster, reason, why, workload } = hold;
  const [kind = "", namespace = "", name = ""] = workload.split("/");
  const object = { cluster, kind, namespace, name };
  // The view of a source offers to close the source's breaker.
  const offers = reason === "WorkloadLooping" ? [releaseOffer("workloads", object)] : [];
  const release = actButtons(permits, object, offers);
  const mark = stateMark("held", reason);
  return [
    link(objectAddress("workloads", object), `${kind} ${namespace}/${name}`),
    cluster,
    release.length === 0 ? mark : el("span", {}, mark, " ", ...release),
    why,
    hold.until === undefined ? "not known" : until(hold.until),
  ];
}
