import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { isNoReason } from "@fleet-reloader/domain/decision/reasons";
import { reasonText } from "@fleet-reloader/engine/ask/reason-texts";
import { absentKeyLines } from "@fleet-reloader/engine/ask/source-plan-text";
import { actRow } from "../acts/act-offer.ts";
import { freezeObjectOffer, releaseOffer, replayOffer } from "../acts/offered-acts.ts";
import { ago } from "../age.ts";
import { objectAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, facts, link, table, type ViewNode } from "../view-node.ts";
import { type OfferingPage, pageEnd } from "./page-end.ts";

type PlanAnswer = ApiAnswer<"source">;

/** What a change of a source would cause: the workloads that use it, and how its content reaches their pods. */
export function sourceView(answer: PlanAnswer, page: OfferingPage, nowMs: number): readonly ViewNode[] {
  const { cluster, keys, nearest, source, state, time, users } = answer;
  const object = { cluster, kind: source.kind, namespace: source.namespace, name: source.name };
  const meant = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return [
    el("h1", {}, `${source.kind} ${source.namespace}/${source.name}`),
    facts([
      ["Cluster", cluster],
      ["Asked", ago(time, nowMs)],
      ["State", `${state}${meant}`],
      ["If it changed now", keys === "all" ? "every key" : `key ${keys.join(", ")}`],
    ]),
    ...absentKeyLines(answer).map((line) => el("p", { class: "notice" }, line)),
    ...actRow(page.permits, object, [
      replayOffer(object),
      releaseOffer("sources", object),
      freezeObjectOffer("source", object),
    ]),
    table({
      label: "Workloads that use it",
      headings: ["Workload", "After the change", "Why", "Content reaches the pods"],
      rows: users.map((user) => plannedRow(user, cluster)),
      count: answer.count,
      none: "No workload of its namespace uses or names it: nothing would roll.",
    }),
    pageEnd(answer, users.length, "workload", page),
  ];
}

const reachText = {
  files: "by mounted files, without a roll",
  restart: "only with a restart",
  none: "not: the pods use none of it",
} as const;

function plannedRow(user: PlanAnswer["users"][number], cluster: string): readonly ViewNode[] {
  const { isCause, reach, reason, verdict, workload } = user;
  const { kind, namespace, name } = workload;
  return [
    link(objectAddress("workloads", { cluster, kind, namespace, name }), `${kind} ${name}`),
    stateMark(verdict.type, plannedWord(verdict, isCause)),
    // If no source counts, the verdict may have the reason of another source.
    reasonText(verdict.type === "roll" || isNoReason(verdict.reason) ? reason : verdict.reason),
    reachText[reach],
  ];
}

function plannedWord(verdict: PlanAnswer["users"][number]["verdict"], isCause: boolean): string {
  switch (verdict.type) {
    case "roll":
      return isCause ? "rolls" : "rolls for another source";
    case "held":
      return "is held";
    case "stays":
      return "stays";
    case "unserved":
      return "is not served";
    case "unknown":
      return "is not known";
  }
}
