import { randomBytes, randomUUID } from "node:crypto";
import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { CursorSeal } from "../api/cursor-seal.ts";

/** The progress of an act on many objects. The caller keeps it, sealed: this process stores nothing. */
export interface ActProgress {
  /** The same in all parts of the act. */
  readonly id: string;
  /** The number of workloads that the whole act covers. */
  readonly of: number;
  readonly done: number;
  /** Place of the last object that is done; empty if none is. */
  readonly after: string;
}

/** The progress of an act that begins. */
export function beginProgress(of: number): ActProgress {
  return { id: randomUUID(), of, done: 0, after: "" };
}

/** Writes the progress of an act as a text. Reads only texts that it wrote for the same act of the same person. */
export class ProgressSeal {
  readonly #seal = new CursorSeal(randomBytes(32));

  /** `act`: everything that must stay the same in all parts. */
  write(act: string, { after, done, id, of }: ActProgress): string {
    return this.#seal.seal(act, { at: done, after: JSON.stringify({ id, of, after }) });
  }

  /** Faults when the text belongs to another act or process. */
  read(act: string, next: string): ActProgress {
    const place = this.#opened(act, next);
    const kept = parseJson(place.after);
    const of = Number(jsonField(kept, "of"));
    return { id: jsonText(kept, "id") ?? "", of, done: place.at, after: jsonText(kept, "after") ?? "" };
  }

  #opened(act: string, next: string) {
    try {
      return this.#seal.open(act, next);
    } catch {
      throw refusedQuestion({
        field: "next",
        value: next,
        problem: "next: it was not given for this act, or by a process that has ended",
        mend: "look at what is meant now, and begin again; /api/v1/operators says how far the act came",
      });
    }
  }
}
