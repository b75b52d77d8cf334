import type { TextPacking } from "@fleet-reloader/engine/observe/shown-workloads";

/** Packs a text into a number, and remembers which it was. */
export class MarkedText implements TextPacking {
  readonly #texts: string[] = [];

  pack(text: string): string {
    return String(this.#texts.push(text) - 1);
  }

  unpack(packed: string): string {
    const text = this.#texts[Number(packed)];
    if (text === undefined) throw new Error("it was not packed here");
    return text;
  }
}
