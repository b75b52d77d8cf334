import type { Keyring } from "../source/keyring.ts";
import { type Carried, formatCarried } from "./carried.ts";

/**
 * The text of the note that says this. It is the text that stands there when that says the same, so that repeats write nothing; else its
 * count is one above every count before it. `isFence`: written in any case, so that a write of ours that is still under way is refused.
 */
export function nextNote(
  carried: Carried,
  before: { readonly text: string | undefined; readonly count: number; readonly isFence: boolean },
  keys: Pick<Keyring, "find">,
): string {
  const same = formatCarried({ ...carried, count: before.count }, keys);
  if (same === before.text && !before.isFence) return same;
  return formatCarried({ ...carried, count: before.count + 1 }, keys);
}
