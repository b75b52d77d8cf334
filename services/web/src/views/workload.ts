import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import { lastRollLines, oldPodLines, verdictLines } from "@fleet-reloader/engine/ask/explanation-text";
import { reasonText } from "@fleet-reloader/engine/ask/reason-texts";
import { actRow } from "../acts/act-offer.ts";
import { freezeObjectOffer, retryOffer } from "../acts/offered-acts.ts";
import { ago } from "../age.ts";
import { objectAddress } from "../place.ts";
import { stateMark } from "../state-mark.ts";
import { el, facts, link, section, table, type ViewNode } from "../view-node.ts";
import { type OfferingPage, pageEnd } from "./page-end.ts";

type Explained = ApiAnswer<"workload">;

/** Whether a workload would roll now, and why. */
export function workloadView(answer: Explained, page: OfferingPage, nowMs: number): readonly ViewNode[] {
  const { cluster, optIn, problems, sources, time, verdict, workload } = answer;
  const object = { cluster, kind: workload.kind, namespace: workload.namespace, name: workload.name };
  return [
    el("h1", {}, `${workload.kind} ${workload.namespace}/${workload.name}`),
    facts([
      ["Cluster", cluster],
      ["Asked", ago(time, nowMs)],
      ["Verdict", stateMark(verdict.type, verdictWord[verdict.type])],
      ["In the queue", waitText(answer)],
    ]),
    ...actRow(page.permits, object, [retryOffer(object), freezeObjectOffer("workload", object)]),
    el("p", { class: "verdict" }, ...brokenLines(verdictLines(verdict))),
    ...lastRollLines(answer).map((line) => el("p", { class: "notice" }, line)),
    ...oldPodLines(answer).map((line) => el("p", { class: "notice" }, line)),
    ...problems.map(({ annotation, mend, problem, value }) =>
      el("p", { class: "notice" }, `${annotation}: ${JSON.stringify(value)} ${problem}; ${mend}`),
    ),
    section(
      "Annotations",
      table({
        label: "Annotations",
        headings: ["Annotation", "Value", "Means"],
        rows: optIn.map(({ name, value, means }) => [name, value, means]),
        count: optIn.length,
        none: "None asks for a reload.",
      }),
    ),
    section(
      "Sources",
      table({
        label: "Sources",
        headings: ["Source", "Counts", "Keys", "State", "Why"],
        rows: sources.map((one) => explainedRow(one, cluster)),
        count: answer.count,
        none: "It uses and names no source.",
      }),
      pageEnd(answer, sources.length, "source", page),
    ),
  ];
}

const verdictWord: Readonly<Record<Explained["verdict"]["type"], string>> = {
  roll: "would roll",
  held: "is held",
  stays: "would not roll",
  unserved: "is not served",
  unknown: "is not known",
};

function brokenLines(texts: readonly string[]): readonly ViewNode[] {
  return texts.flatMap((text, at) => (at === 0 ? [text] : [el("br"), text.trim()]));
}

function waitText({ waiting }: Explained): string {
  if (waiting === undefined || !waiting.isWaiting) return "no request for it waits";
  const { hold } = waiting;
  return hold === undefined
    ? "a request for it waits"
    : `a request for it is held: ${reasonText(hold.reason)}`;
}

function explainedRow(one: Explained["sources"][number], cluster: string): readonly ViewNode[] {
  const { counts, frozenBy, isOptional, keys, nearest, reason, rolls, source, state } = one;
  const { kind, namespace, name } = source;
  const meant = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  const frozen = frozenBy === undefined ? "" : ` It is frozen: ${frozenBy}.`;
  const isNew = rolls === undefined ? "" : ` ${reasonText(rolls)}`;
  return [
    link(objectAddress("sources", { cluster, kind, namespace, name }), `${kind} ${name}`),
    counts ? "yes" : "no",
    keys === "all" ? "all" : keys.join(", "),
    `${state}${isOptional ? ", optional" : ""}${meant}`,
    `${reasonText(reason)}${isNew}${frozen}`,
  ];
}
