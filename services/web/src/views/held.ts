import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { until } from "../age.ts";
import { heldAddress, objectAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, link, section, table, type ViewNode } from "../view-node.ts";
import { filterForm } from "./filter-form.ts";
import { freezeSection } from "./freeze-table.ts";
import { type PageOfList, pageEnd } from "./page-end.ts";
import { reasonTable } from "./reason-table.ts";

/** What holds rolls, and what is on hold: by whom or what, and until when. */
export function heldView(answer: ApiAnswer<"held">, page: PageOfList): readonly ViewNode[] {
  return [
    el("h1", {}, "Holds"),
    freezeSection(answer),
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
      rows: answer.holds.map(holdRow),
      count: answer.count,
      none: "Nothing is on hold.",
    }),
    pageEnd(answer, answer.holds.length, "request", page),
  ];
}

function holdRow(hold: ApiAnswer<"held">["holds"][number]): readonly ViewNode[] {
  const { cluster, reason, why, workload } = hold;
  const [kind = "", namespace = "", name = ""] = workload.split("/");
  return [
    link(objectAddress("workloads", { cluster, kind, namespace, name }), `${kind} ${namespace}/${name}`),
    cluster,
    stateMark("held", reason),
    why,
    hold.until === undefined ? "not known" : until(hold.until),
  ];
}
