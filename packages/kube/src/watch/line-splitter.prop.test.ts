import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

/** Texts with sequences of one to four bytes, and lines that are empty. */
const lines = fc.array(fc.string({ unit: fc.constantFrom("a", "{", "ß", "€", "𝄞", "\r"), maxLength: 12 }), {
  maxLength: 8,
});

const cuts = fc.array(fc.nat(), { maxLength: 30 });

function chunks(bytes: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...new Set([...at.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

test("the lines of a stream do not depend on its chunks, even within a character", () => {
  fc.assert(
    fc.property(lines, fc.constantFrom("", "rest", "€"), cuts, (whole, rest, at) => {
      const bytes = Buffer.from(whole.map((line) => `${line}\n`).join("") + rest);
      const splitter = new LineSplitter();
      expect(chunks(bytes, at).flatMap((chunk) => splitter.push(chunk))).toEqual(whole);
      expect(splitter.pendingBytes).toBe(Buffer.byteLength(rest));
    }),
  );
});

test("a stream that comes byte by byte is read like one that comes at once", () => {
  const splitter = new LineSplitter();
  const bytes = Buffer.from("größe\n𝄞\n");
  expect([...bytes].flatMap((byte) => splitter.push(Buffer.from([byte])))).toEqual(["größe", "𝄞"]);
});
