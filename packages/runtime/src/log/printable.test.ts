import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test("exactly Unicode's control, format and line separator characters are escaped", () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    const isUnprintable = /^[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u.test(character);
    if (isUnprintable !== (printable(character) !== character)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});
