import fc from "fast-check";
import { expect, test } from "vitest";
import { parseGoDuration } from "./go-duration.ts";

test.each([
  ["0", 0],
  ["0s", 0],
  ["-0", 0],
  ["+0s", 0],
  ["30s", 30_000],
  ["1m30s", 90_000],
  ["1.5h", 5_400_000],
  [".5s", 500],
  ["1.s", 1_000],
  ["1h0m0.5s", 3_600_500],
  ["250ms", 250],
  ["1500us", 2],
  ["2000\u00b5s", 2],
  ["2000\u03bcs", 2],
  ["3000000ns", 3],
  ["1ns", 0],
  ["+5s", 5_000],
  ["-5s", -5_000],
  ["0.3s", 300],
  ["30s30s", 60_000],
  ["00001s", 1_000],
  ["2562047h", 9_223_369_200_000],
])("%s is %d ms", (text, expectedMs) => {
  expect(parseGoDuration(text)).toBe(expectedMs);
});

test.each([
  ...[
    "",
    "-",
    "+",
    ".",
    "5",
    "1.5",
    "s",
    ".s",
    "1d",
    "1 s",
    " 1s",
    "1s ",
    "1S",
    "1M",
    "--1s",
    "+-1s",
    "1,5s",
    "1e3s",
  ],
  ...["0x1s", "\u0661s", "Infinity", "NaNs", "1m30", "2562048h", `${"9".repeat(400)}h`, "constructor"],
])("%j is none", (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

test("parts add up, whatever their order", () => {
  const part = fc.tuple(
    fc.nat(999),
    fc.constantFrom(["h", 3_600_000], ["m", 60_000], ["s", 1_000], ["ms", 1]),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const text = parts.map(([amount, [unit]]) => `${amount}${unit}`).join("");
      const expectedMs = parts.reduce((sum, [amount, [, unitMs]]) => sum + amount * Number(unitMs), 0);
      expect(parseGoDuration(text)).toBe(expectedMs);
    }),
  );
});
