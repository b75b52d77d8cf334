import { faultCatalogue } from "../fault.ts";
import { rolloutReasons } from "./reasons.ts";

const failureMeanings: ReadonlyMap<string, string> = new Map([
  ...rolloutReasons.map(({ reason, meaning }) => [reason, meaning] as const),
  ...Object.entries(faultCatalogue).map(([code, { meaning, mend }]) => [code, `${meaning} ${mend}`] as const),
]);

/** What it means that a roll failed by the reason of its rollout or by the fault of its write; empty: another version knows it. */
export function failureMeaning(reason: string): string {
  return failureMeanings.get(reason) ?? "";
}
