import { nearestName } from "./nearest-name.ts";

/**
 * The known name that was most likely meant: one that differs by a typing error, or one with the same words and more or fewer besides, as
 * `catalyst-handover-jwt-public` for `handover-jwt-public`.
 */
export function likelyName(name: string, known: readonly string[]): string | undefined {
  const [extended] = known
    .filter((each) => holdsWords(each, name) || holdsWords(name, each))
    .sort((a, b) => Math.abs(a.length - name.length) - Math.abs(b.length - name.length));
  return nearestName(name, known) ?? extended;
}

/** Whether the words of one name occur in the other, one after another. */
function holdsWords(name: string, part: string): boolean {
  const dashed = (text: string) => `-${text.toLowerCase().replaceAll(".", "-")}-`;
  return dashed(name).includes(dashed(part));
}
