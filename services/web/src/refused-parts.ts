import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";

/** Each wrong part of a refused question: the refusal itself, unless it has several. */
export function refusedPartsOf(
  refusal: ApiProblem,
): readonly Pick<ApiProblem, "mend" | "problem" | "value">[] {
  return refusal.parts ?? [refusal];
}
