import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprint } from "./fingerprint.ts";

test("a text has one fingerprint, a whole number", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(fingerprint(text)).toBe(fingerprint(text));
      expect(Number.isSafeInteger(fingerprint(text))).toBe(true);
    }),
  );
});

test("texts that differ in a little have different ones", () => {
  const texts = Array.from({ length: 300 }, (_, one) =>
    Array.from(
      { length: 300 },
      (_none, other) => `[{"workload":"app-${one}"},${other % 2 === 0},"${other}"]`,
    ),
  ).flat();
  expect(new Set(texts.map(fingerprint)).size).toBe(texts.length);
});
