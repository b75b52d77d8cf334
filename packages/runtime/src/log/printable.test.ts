import { expect, test } from "vitest";
import { printable, printableJson, printableJsonLines, printableLines } from "./printable.ts";

test("exactly Unicode's control, format and line separator characters are escaped", () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    const isUnprintable = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u.test(character);
    if (isUnprintable !== (printable(character) !== character)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

test("a text of many lines keeps its line feeds, and nothing else that is escaped", () => {
  const forged = "a\u202eb\r\n\u{e0001}c\u001b[2K";
  const lines = forged.split("\n");
  expect(printableLines(forged)).toBe(lines.map(printable).join("\n"));
  expect(printableJsonLines(forged)).toBe(lines.map(printableJson).join("\n"));
});
