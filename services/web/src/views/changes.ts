import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { activitySection } from "../activity/activity-section.ts";
import { actButtons } from "../acts/act-offer.ts";
import { discardOffer, retryOffer } from "../acts/offered-acts.ts";
import { ago } from "../age.ts";
import { objectAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, facts, link, table, type ViewNode } from "../view-node.ts";
import { changeHeadings, changeRow, progressMarks } from "./change-rows.ts";
import { filterForm } from "./filter-form.ts";
import { type OfferingPage, type PlottedPage, pageEnd } from "./page-end.ts";

const cutNotice = el(
  "p",
  { class: "notice" },
  "Not all records were read: there are newer ones. Give a later start.",
);

/** The newest changes. */
export function changesView(
  answer: ApiAnswer<"changes">,
  page: PlottedPage,
  nowMs: number,
): readonly ViewNode[] {
  return [
    el("h1", {}, "Changes"),
    filterForm("/changes", page.query, [
      ["since", "Since (1h)"],
      ["cluster", "Cluster"],
      ["namespace", "Namespace"],
      ["name", "Name"],
    ]),
    ...(answer.isCut ? [cutNotice] : []),
    table({
      label: "Changes",
      headings: changeHeadings,
      rows: answer.changes.map((change) => changeRow(change, nowMs)),
      count: answer.count,
      none: "No change of a source that a workload uses fits. Without a start the last hour is shown.",
    }),
    pageEnd(answer, answer.changes.length, "change", page),
    activitySection(page.activity, page.query.get("since") ?? ""),
  ];
}

/** One change: what was written, and the state of each workload with it. */
export function changeView(
  answer: ApiAnswer<"change">,
  page: OfferingPage,
  nowMs: number,
): readonly ViewNode[] {
  const { change, workloads } = answer;
  const { actors, id, isDone, source, time } = change;
  const by = actors.length === 0 ? "unknown" : actors.join(", ");
  return [
    el("h1", {}, `${source.kind} ${source.namespace}/${source.name}`),
    ...(answer.isCut ? [cutNotice] : []),
    facts([
      ["Written", el("span", {}, ago(time, nowMs), ` by ${by}`)],
      ["Clusters", clusterLinks(change)],
      ["Workloads", progressMarks(change)],
      ["Done", isDone ? "yes" : "no"],
      ["Change", id],
    ]),
    table({
      label: "Workloads of this change",
      headings: ["Workload", "Cluster", "State", "Reason", "Says", "Since"],
      rows: workloads.map((one) => changedRow(one, page, nowMs)),
      count: answer.count,
      none: "No workload was decided on yet. One that uses the source is, within half a minute.",
    }),
    pageEnd(answer, workloads.length, "workload", page),
  ];
}

function clusterLinks({ clusterCount, clusters, source }: ApiAnswer<"change">["change"]): ViewNode {
  const more = clusterCount - clusters.length;
  const links = clusters.flatMap((cluster) => [planLink(cluster, source), " "]);
  return el("span", {}, ...links, ...(more > 0 ? [`and ${more} more`] : []));
}

function planLink(cluster: string, source: ApiAnswer<"change">["change"]["source"]): ViewNode {
  const { kind, namespace, name } = source;
  return link(objectAddress("sources", { cluster, kind, namespace, name }), cluster);
}

function changedRow(
  { cluster, message, progress, reason, time, workload }: ApiAnswer<"change">["workloads"][number],
  { permits, query }: OfferingPage,
  nowMs: number,
): readonly ViewNode[] {
  const { kind, namespace, name } = workload;
  const object = { cluster, kind, namespace, name };
  const isFailed = progress === "failed" || progress === "stalled";
  const offers = isFailed ? [retryOffer(object), discardOffer(object, query.get("since") ?? "")] : [];
  const acts = actButtons(permits, object, offers);
  const mark = stateMark(progress);
  return [
    link(objectAddress("workloads", object), `${kind} ${namespace}/${name}`),
    cluster,
    acts.length === 0 ? mark : el("span", {}, mark, " ", ...acts),
    reason ?? "",
    message ?? "",
    ago(time, nowMs),
  ];
}
