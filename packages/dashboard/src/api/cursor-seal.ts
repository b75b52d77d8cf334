import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { parseJson } from "@fleet-reloader/domain/json";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";

/** The end of a page. */
export interface PagePlace {
  /** The number of elements before the next one, when the page was made. */
  readonly at: number;
  /** Key of the last element on the page. */
  readonly after: string;
}

/** 128 bits, which nobody guesses. */
const bytesOfSeal = 16;

/** Makes cursors. Reads only cursors that it made for the same query. */
export class CursorSeal {
  readonly #key: Uint8Array;

  /** The key is random, and only this process knows it. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  seal(query: string, { at, after }: PagePlace): string {
    const text = Buffer.from(JSON.stringify([at, after])).toString("base64url");
    return `${text}.${this.#sealOf(query, text)}`;
  }

  /** Faults when the cursor is forged, or belongs to another query or process. */
  open(query: string, cursor: string): PagePlace {
    const [text = "", seal = "", ...rest] = cursor.split(".");
    const wanted = Buffer.from(this.#sealOf(query, text));
    const given = Buffer.from(seal);
    const isOurs = rest.length === 0 && wanted.length === given.length && timingSafeEqual(wanted, given);
    const read = isOurs ? parseJson(Buffer.from(text, "base64url").toString("utf8")) : undefined;
    if (Array.isArray(read) && typeof read[0] === "number" && typeof read[1] === "string")
      return { at: read[0], after: read[1] };
    throw refusedQuestion({
      field: "cursor",
      value: cursor,
      problem: "cursor: it was not given for this query, or by a process that has ended",
      mend: "ask for the first page, without a cursor",
    });
  }

  #sealOf(query: string, text: string): string {
    return createHmac("sha256", this.#key)
      .update(`${query.length}:${query}${text}`)
      .digest()
      .subarray(0, bytesOfSeal)
      .toString("base64url");
  }
}

/** The key of an element in a cursor: short, and the same for the same text. */
export function elementKey(...parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url").slice(0, 22);
}
