import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { TextPacking } from "@fleet-reloader/engine/observe/shown-workloads";

/** The first level is three times as fast as the default one, and its result some 10 % larger. The state of a call is 40 instead of 270 KiB. */
const [level, windowBits, memLevel] = [1, 13, 5];

/**
 * Packs texts that are alike, such as the JSON of many Deployments: each is told by its differences from the first one. A text of 3 KiB takes
 * some 30 µs, and a fifth to a tenth of its room. A packed text is only for the object that packed it, and each of its characters is a byte.
 */
export class DeflatedText implements TextPacking {
  #dictionary: Buffer | undefined;

  pack(text: string): string {
    const bytes = Buffer.from(text);
    this.#dictionary ??= bytes;
    return deflateRawSync(bytes, { level, windowBits, memLevel, dictionary: this.#dictionary }).toString(
      "latin1",
    );
  }

  unpack(packed: string): string {
    const dictionary = this.#dictionary;
    if (dictionary === undefined) throw new Error("it was not packed here");
    return inflateRawSync(Buffer.from(packed, "latin1"), { windowBits, dictionary }).toString();
  }
}
