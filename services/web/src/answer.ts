import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import type { ShownActivity } from "./activity/activity-section.ts";
import { nobodyMay, type Permits } from "./acts/act-offer.ts";
import { auditView } from "./audit/audit.ts";
import { placeName } from "./frame/frame.ts";
import { addressAfterSignIn, signInView } from "./frame/session.ts";
import { terminalView } from "./frame/terminal.ts";
import type { Place } from "./place.ts";
import { refusalLines } from "./refusal-lines.ts";
import { el, link, type ViewNode } from "./view-node.ts";
import { changesView, changeView } from "./views/changes.ts";
import { clustersView } from "./views/clusters.ts";
import { heldView } from "./views/held.ts";
import { nowView } from "./views/now.ts";
import type { PlottedPage } from "./views/page-end.ts";
import { queueView } from "./views/queue.ts";
import { sourceView } from "./views/source.ts";
import { workloadView } from "./views/workload.ts";

/** The answer for a place, the reason why there is none, or nothing yet. */
export type PlaceAnswer =
  | { readonly type: "loading" }
  | { readonly type: "failed"; readonly problem: ApiProblem }
  | { readonly type: "answered"; readonly body: unknown };

/** The circumstances in which a place is shown. */
export interface PlaceLook {
  readonly path: string;
  readonly nowMs: number;
  /** The permissions of the person; absent: none. */
  readonly permits?: Permits;
  /** The activity for the place's plots; absent: it is not known yet. */
  readonly activity?: ShownActivity;
  /** Host of the issuer that people sign in with; absent: none. */
  readonly issuer?: string;
}

/** The view of a place. The answer has to be the one to the place's question. */
export function placeView(
  place: Place,
  answer: PlaceAnswer,
  { activity, issuer = "", nowMs, path, permits = nobodyMay }: PlaceLook,
): readonly ViewNode[] {
  if (place.view === "nowhere") return nowhereView(path);
  const problem = answer.type === "failed" ? answer.problem : undefined;
  if (place.view === "sign-in") return signInView({ problem, issuer, path: addressAfterSignIn(place.query) });
  switch (answer.type) {
    case "loading":
      return [el("h1", {}, placeName(place)), el("p", { class: "none", role: "status" }, "Asking…")];
    case "failed":
      return problemView(answer.problem);
    case "answered":
      return answeredView(place, answer.body, { path, query: place.query, permits, activity }, nowMs);
  }
}

/** A place whose view shows an answer. */
type ShownPlace = Exclude<Place, { readonly view: "sign-in" | "nowhere" }>;

/** The view of an answer. Its type is not checked: the API sends what its contract says, and the same process serves page and API. */
function answeredView(
  place: ShownPlace,
  body: unknown,
  page: PlottedPage,
  nowMs: number,
): readonly ViewNode[] {
  switch (place.view) {
    case "now":
      return nowView(body as ApiAnswer<"status">, page, nowMs);
    case "changes":
      return changesView(body as ApiAnswer<"changes">, page, nowMs);
    case "change":
      return changeView(body as ApiAnswer<"change">, page, nowMs);
    case "clusters":
      return clustersView(body as ApiAnswer<"clusters">, page, nowMs);
    case "held":
      return heldView(body as ApiAnswer<"held">, page);
    case "queue":
      return queueView(body as ApiAnswer<"queue">, page);
    case "audit":
      return auditView(body as ApiAnswer<"operators">, page, nowMs);
    case "workload":
      return workloadView(body as ApiAnswer<"workload">, page, nowMs);
    case "terminal":
      return terminalView((body as { readonly name: string }).name, page.query);
    case "source":
      return sourceView(body as ApiAnswer<"source">, page, nowMs);
  }
}

/** A forbidden view looks different from one without an answer, because asking again does not help. */
function forbiddenView({ mend, problem }: ApiProblem): readonly ViewNode[] {
  return [
    el("h1", {}, "Not shown to you"),
    el("p", { class: "forbidden", role: "alert" }, problem),
    el("p", {}, `What to do: ${mend}`),
    el("p", {}, link("/", "Now"), " shows what you may see."),
  ];
}

function problemView(refusal: ApiProblem): readonly ViewNode[] {
  const { code } = refusal;
  if (code === "access.forbidden") return forbiddenView(refusal);
  return [el("h1", {}, "No answer"), ...refusalLines(refusal), el("p", { class: "end" }, code)];
}

function nowhereView(path: string): readonly ViewNode[] {
  return [
    el("h1", {}, "There is no such page"),
    el("p", {}, `${path} shows nothing. `, link("/", "Now"), " shows what needs somebody."),
  ];
}
