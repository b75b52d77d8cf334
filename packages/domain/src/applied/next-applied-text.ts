import type { Keyring } from "../source/keyring.ts";
import { type AppliedState, formatAppliedState } from "./applied-state.ts";

/**
 * The text to write for this applied state. If the text on the workload already says the same, it is returned unchanged, so repeats write nothing.
 * Otherwise the count is one above `before.count`. `isFence` forces a write, so that the API server refuses a write of ours that is still under
 * way.
 */
export function nextAppliedText(
  applied: AppliedState,
  before: { readonly text: string | undefined; readonly count: number; readonly isFence: boolean },
  keys: Pick<Keyring, "find">,
): string {
  const same = formatAppliedState({ ...applied, count: before.count }, keys);
  if (same === before.text && !before.isFence) return same;
  return formatAppliedState({ ...applied, count: before.count + 1 }, keys);
}
