import type { ActAnswer, ActName } from "@fleet-reloader/contracts/api/act-routes";
import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { refusalLines } from "../refusal-lines.ts";
import { el, link, type ViewNode } from "../view-node.ts";
import { type ActOffer, offerName } from "./act-offer.ts";

/** The texts that a person has typed into the dialog of an act. */
export interface WrittenWords {
  readonly reason: string;
  readonly until: string;
}

/** The state of an act. */
export type ActState =
  | { readonly type: "asking" }
  | { readonly type: "failed"; readonly problem: ApiProblem }
  | {
      readonly type: "meant";
      readonly meant: ActAnswer;
      readonly words: WrittenWords;
      readonly isSending: boolean;
      /** Why the act was refused before. */
      readonly problem?: ApiProblem | undefined;
    }
  | {
      readonly type: "doing";
      readonly done: number;
      readonly of: number;
      /** The person has stopped the act: no further part is sent. */
      readonly isStopping: boolean;
    }
  | {
      readonly type: "stopped";
      readonly done: number;
      readonly of: number;
      /** Absent: the person stopped it. */
      readonly problem?: ApiProblem;
    }
  | { readonly type: "done"; readonly done: ActAnswer };

/** The dialog of an act: what it covers, its reason, and its result. */
export function actDialogView(offer: ActOffer, state: ActState): readonly ViewNode[] {
  const title = el("h2", { id: "act-title" }, offerName(offer).replace(" …", ""));
  return [title, el("form", { method: "dialog", class: "dialog" }, ...stateView(offer, state))];
}

function stateView({ act, seenAt }: ActOffer, state: ActState): readonly ViewNode[] {
  switch (state.type) {
    case "asking":
      return [el("p", { role: "status", class: "none" }, "Asking what is meant…"), buttons("Cancel")];
    case "failed":
      return [...refusalLines(state.problem), buttons("Close")];
    case "meant":
      return meantView(act, state);
    case "doing":
      return doingView(state);
    case "stopped":
      return stoppedView(state, seenAt);
    case "done":
      return [el("p", { role: "status" }, doneNotice(state.done)), seenLinks(seenAt), buttons("Close")];
  }
}

/** A freeze that may hold nothing is not shown as a success. */
function doneNotice({ act, count, notice = "", reading = "read" }: ActAnswer): string {
  const mayHoldNothing = act === "freeze" && (count === 0 || reading !== "read");
  return mayHoldNothing ? `⚠ ${notice}` : `✔ Done. ${notice}`;
}

/** The record of the act is the newest there. */
const historyAddress = "/history?since=10m";

function seenLinks(seenAt: string): ViewNode {
  return el("p", {}, link(seenAt, "See what comes of it"), " ", el("a", { href: historyAddress }, "History"));
}

/** The progress of an act on many workloads, for people. */
export function actProgressText(done: number, of: number): string {
  return `${done} of ${countedWorkloads(of)} done`;
}

function doingView({ done, isStopping, of }: Extract<ActState, { type: "doing" }>): readonly ViewNode[] {
  const stop = { type: "button", class: "act", "data-stop": "" };
  return [
    el("progress", { "aria-label": "Progress", max: String(of), value: String(done) }),
    el("p", { role: "status" }, actProgressText(done, of)),
    el(
      "p",
      {},
      "Stop ends the act before its next part. So does closing this. What is done stays done, and is recorded.",
    ),
    el(
      "p",
      { class: "acts" },
      isStopping
        ? el("button", Object.assign({ "aria-disabled": "true" }, stop), "Stopping…")
        : el("button", stop, "Stop"),
    ),
  ];
}

function stoppedView(
  { done, of, problem }: Extract<ActState, { type: "stopped" }>,
  seenAt: string,
): readonly ViewNode[] {
  return [
    ...(problem === undefined ? [] : refusalLines(problem)),
    el(
      "p",
      { role: "status" },
      `⚠ Stopped: ${actProgressText(done, of)}. ${stoppedMeaning(of - done, problem)}`,
    ),
    seenLinks(seenAt),
    buttons("Close"),
  ];
}

/** After these codes it is not known whether a part was done. */
const unknownCodes: readonly string[] = ["page.unanswered", "act.unknown"];

/** A part without an answer may have been done; a refused part was not. */
function stoppedMeaning(left: number, problem: ApiProblem | undefined): string {
  return problem !== undefined && unknownCodes.includes(problem.code)
    ? "It is not known whether the part under way was done: what became of each workload tells."
    : `The other ${left} ${left === 1 ? "was" : "were"} not done.`;
}

function meantView(act: ActName, state: Extract<ActState, { type: "meant" }>): readonly ViewNode[] {
  const { isSending, meant, problem, words } = state;
  return [
    ...(problem === undefined ? [] : refusalLines(problem)),
    ...meantLines(meant),
    el("p", {}, actMeaning[act]),
    field("Reason", { name: "reason", value: words.reason, required: "", maxlength: "1000" }),
    ...(act === "freeze"
      ? [
          field("Until: a time, or how long such as 2h. Empty: until somebody lifts it", {
            name: "until",
            value: words.until,
            maxlength: "64",
          }),
        ]
      : []),
    buttons(
      "Cancel",
      el(
        "button",
        { type: "submit", class: "act", ...(isSending ? { disabled: "" } : {}) },
        isSending ? "Sending…" : confirmText(act, meant.count),
      ),
    ),
  ];
}

const actMeaning = {
  retry:
    "It rolls only if its pods do not run with the current content. A freeze, a breaker or a budget still holds it.",
  replay: "Workloads whose pods run with the current content stay as they are.",
  release: "Stop the cause first: otherwise the breaker opens again.",
  discard:
    "It leaves what failed, and nothing is rolled: its pods stay as they are. Whoever may see it reads who discarded it and why. The next change of its sources, and the slow audit, look at it again as before.",
  freeze: "Nothing of it is rolled until the freeze ends. It is read before every roll.",
  lift: "What was held rolls at once.",
} as const satisfies Readonly<Record<ActName, string>>;

function confirmText(act: ActName, count: number): string {
  const workloads = countedWorkloads(count);
  switch (act) {
    case "retry":
    case "replay":
      return `Check ${workloads}`;
    case "release":
      return `Release ${workloads}`;
    case "discard":
      return `Discard ${count} failed roll${count === 1 ? "" : "s"}`;
    case "freeze":
      return `Freeze ${workloads}`;
    case "lift":
      return `Lift the freeze of ${workloads}`;
  }
}

function meantLines({ count, notice, workloads }: ActAnswer): readonly ViewNode[] {
  const names = workloads.map(({ cluster, workload }) => el("li", {}, `${workload} on ${cluster}`));
  const more = count - workloads.length;
  return [
    ...(notice === undefined ? [] : [el("p", { class: "notice" }, notice)]),
    el(
      "p",
      { role: "status" },
      `${countedWorkloads(count)} ${count === 1 ? "is" : "are"} meant${count === 0 ? "." : ":"}`,
    ),
    ...(names.length === 0 ? [] : [el("ul", {}, ...names)]),
    ...(more > 0 && names.length > 0 ? [el("p", {}, `and ${more} more`)] : []),
  ];
}

function field(label: string, attributes: Readonly<Record<string, string>>): ViewNode {
  return el("label", {}, label, el("input", Object.assign({ autocomplete: "off" }, attributes)));
}

function buttons(close: string, ...others: readonly ViewNode[]): ViewNode {
  return el("p", { class: "acts" }, ...others, el("button", { type: "button", "data-close": "" }, close));
}

function countedWorkloads(count: number): string {
  return `${count} workload${count === 1 ? "" : "s"}`;
}
