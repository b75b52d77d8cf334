import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { actResultText } from "@fleet-reloader/engine/act/operator-acts";
import { ago } from "../age.ts";
import { objectAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, link, table, type ViewNode } from "../view-node.ts";
import { filterForm } from "../views/filter-form.ts";
import { type PageOfList, pageEnd } from "../views/page-end.ts";

type ShownAct = ApiAnswer<"operators">["acts"][number];

/** The acts of operators: who did what, when, why, on how many workloads, and the result. */
export function auditView(
  answer: ApiAnswer<"operators">,
  page: PageOfList,
  nowMs: number,
): readonly ViewNode[] {
  return [
    el("h1", {}, "Audit"),
    filterForm("/audit", page.query, [
      ["since", "Since (7d)"],
      ["by", "Person"],
      ["action", "Act"],
      ["cluster", "Cluster"],
      ["text", "Text"],
    ]),
    ...(answer.isCut
      ? [el("p", { class: "notice" }, "Not all acts were read: there are newer ones. Give a later start.")]
      : []),
    table({
      label: "What operators did",
      headings: ["About", "Act", "Person", "When", "Reason", "Workloads", "Result"],
      rows: answer.acts.map((act) => actCells(act, nowMs)),
      count: answer.count,
      none: "Nobody did anything that fits. Without a start the last 7 days are shown.",
    }),
    pageEnd(answer, answer.acts.length, "act", page),
  ];
}

function actCells(act: ShownAct, nowMs: number): readonly ViewNode[] {
  const { action, by, count, of, reason, scope, target, time } = act;
  const isPart = count !== undefined && of !== undefined && count < of;
  return [
    link(addressOfScope(scope), target),
    action,
    by || "not known",
    ago(time, nowMs),
    reason,
    of === undefined ? "not counted" : String(of),
    stateMark(isPart ? "stalled" : "healthy", actResultText({ action, count, of })),
  ];
}

/** The address that shows the result of an act: the object, or the list of changes or clusters. */
function addressOfScope({ cluster, namespace, source, workload }: ShownAct["scope"]): string {
  const object = workload ?? source;
  if (object !== undefined && cluster !== undefined && namespace !== undefined) {
    const { kind, name } = object;
    const list = workload === undefined ? "sources" : "workloads";
    return objectAddress(list, { cluster, kind, namespace, name });
  }
  const filters = Object.entries({ cluster, namespace, name: object?.name });
  const given = filters.flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return given.length === 0 ? "/" : `/changes?${new URLSearchParams(given)}`;
}
