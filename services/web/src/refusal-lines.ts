import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { el, type ViewNode } from "./view-node.ts";

/** What is wrong with each part of a refused question, what was given, and what to do. */
export function refusalLines(refusal: ApiProblem): readonly ViewNode[] {
  return (refusal.parts ?? [refusal]).flatMap(({ mend, problem, value }) => [
    el("p", { class: "failed", role: "alert" }, problem),
    ...(value ? [el("p", {}, `Given: ${value}`)] : []),
    ...(mend ? [el("p", {}, `What to do: ${mend}`)] : []),
  ]);
}
