import { faultCatalogue } from "../fault.ts";
import { rolloutReasons } from "./reasons.ts";

const failureMeanings: ReadonlyMap<string, string> = new Map([
  ...rolloutReasons.map(({ reason, meaning }) => [reason, meaning] as const),
  ...Object.entries(faultCatalogue).map(([code, { meaning, mend }]) => [code, `${meaning} ${mend}`] as const),
]);

/** The meaning of a reason that a rollout failed for, or of the fault of its write. Empty when only another version knows the reason. */
export function failureMeaning(reason: string): string {
  return failureMeanings.get(reason) ?? "";
}
