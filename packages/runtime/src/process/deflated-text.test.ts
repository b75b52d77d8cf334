import { expect, test } from "vitest";
import { DeflatedText } from "./deflated-text.ts";

const textOf = (name: string, size = 100) =>
  JSON.stringify({ name, labels: Array.from({ length: size }, (_, at) => `label-${at}`), note: "ä€🙂" });

test("a text comes back as it was, also one that is unlike the first", () => {
  const packing = new DeflatedText();
  const texts = [textOf("first"), textOf("second"), "", "ü".repeat(50_000), textOf("large", 20_000)];
  const packed = texts.map((text) => packing.pack(text));
  expect(packed.map((text) => packing.unpack(text))).toEqual(texts);
});

test("a text that is like the first takes a tenth of its room", () => {
  const packing = new DeflatedText();
  packing.pack(textOf("first"));
  const text = textOf("second");
  expect(packing.pack(text).length).toBeLessThan(text.length / 10);
});
