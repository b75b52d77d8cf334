import type { Keyring } from "../source/keyring.ts";
import { type AppliedState, formatAppliedState } from "./applied-state.ts";

/**
 * The text of the note that says this. It is the text that stands there when that says the same, so that repeats write nothing; else its
 * count is one above every count before it. `isFence`: written in any case, so that a write of ours that is still under way is refused.
 */
export function nextNote(
  applied: AppliedState,
  before: { readonly text: string | undefined; readonly count: number; readonly isFence: boolean },
  keys: Pick<Keyring, "find">,
): string {
  const same = formatAppliedState({ ...applied, count: before.count }, keys);
  if (same === before.text && !before.isFence) return same;
  return formatAppliedState({ ...applied, count: before.count + 1 }, keys);
}
