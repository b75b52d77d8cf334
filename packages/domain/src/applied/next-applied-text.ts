import type { Keyring } from "../source/keyring.ts";
import { type AppliedState, formatAppliedState } from "./applied-state.ts";

/**
 * The text of this applied state. It is the text on the workload when that says the same, so that repeats write nothing. Otherwise its
 * count is one above every earlier count. `isFence`: it is written in any case, so that a write of ours that is under way is refused.
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
