import { randomBytes, randomUUID } from "node:crypto";
import { jsonField, jsonText, parseJson } from "@fleet-reloader/domain/json";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { CursorSeal } from "../api/cursor-seal.ts";

/** The progress of an act on many objects. The caller keeps it, sealed: the process has no state of it. */
export interface ActProgress {
  /** The same for all parts of the act. */
  readonly id: string;
  /** So many workloads were meant when it began. */
  readonly of: number;
  readonly done: number;
  /** Place of the last one that is done; empty: none is. */
  readonly after: string;
}

/** An act that was just begun. */
export function beginProgress(of: number): ActProgress {
  return { id: randomUUID(), of, done: 0, after: "" };
}

/** Writes how far an act has come as a text, and reads only those that it wrote for the same act of the same person. */
export class ProgressSeal {
  readonly #seal = new CursorSeal(randomBytes(32));

  /** `act`: everything that must stay the same from part to part. */
  write(act: string, { after, done, id, of }: ActProgress): string {
    return this.#seal.seal(act, { at: done, after: JSON.stringify({ id, of, after }) });
  }

  /** Faults when it is of another act or process. */
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
