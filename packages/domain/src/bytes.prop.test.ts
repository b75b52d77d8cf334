import fc from "fast-check";
import { expect, test } from "vitest";
import { compareBytes, concatBytes, utf8 } from "./bytes.ts";

test("bytes are ordered as their hexadecimal texts are", () => {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6 }), fc.uint8Array({ maxLength: 6 }), (a, b) => {
      const expected = hex(a) === hex(b) ? 0 : hex(a) < hex(b) ? -1 : 1;
      expect(Math.sign(compareBytes(a, b))).toBe(expected);
    }),
  );
});

test("texts are ordered by byte, where JavaScript orders by UTF-16 unit", () => {
  const astral = "\u{1F600}";
  const privateUse = "\uFF5E";
  expect(astral < privateUse).toBe(true);
  expect(compareBytes(utf8(astral), utf8(privateUse))).toBeGreaterThan(0);
});

test("parts are joined in their order, with nothing between", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (parts) => {
      expect(concatBytes(parts)).toEqual(Uint8Array.from(parts.flatMap((part) => [...part])));
    }),
  );
});
