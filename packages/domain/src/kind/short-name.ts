import { utf8 } from "../bytes.ts";
import type { KeyedDigest } from "../source/mark.ts";

const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const letters = "abcdefghijklmnopqrstuvwxyz234567";
/** 50 bits: two different rolls of one workload share a name with a probability of 10^-15. */
const suffixLength = 10;
/** The longest name that is also valid as the value of a label: the name of a Job is a label of its pods. */
const nameMax = 63;

/**
 * A name for an object that is made for a roll: the workload's name and a digest of the whole roll. The same roll has the same name, so the API
 * server refuses a second creation.
 */
export function nameForRoll(
  workload: string,
  infix: string,
  parts: readonly string[],
  keyed: KeyedDigest,
): string {
  const digest = keyed.digest(utf8(JSON.stringify(["Roll", ...parts])));
  const suffix = [...digest.slice(0, suffixLength)]
    .map((letter) => letters[base64url.indexOf(letter) % 32])
    .join("");
  const tail = `${infix}-${suffix}`;
  const kept = workload.slice(0, nameMax - tail.length).replace(/[-.]+$/, "");
  return `${kept}${tail}`;
}
