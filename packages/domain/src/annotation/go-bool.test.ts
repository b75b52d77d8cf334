import { expect, test } from "vitest";
import { parseGoBool } from "./go-bool.ts";

test.each(["1", "t", "T", "TRUE", "true", "True"])("%s is true", (text) => {
  expect(parseGoBool(text)).toBe(true);
});

test.each(["0", "f", "F", "FALSE", "false", "False"])("%s is false", (text) => {
  expect(parseGoBool(text)).toBe(false);
});

test.each(["", "tRUE", "yes", "on", " true", "true ", "01", "constructor", "__proto__"])(
  "%j is neither",
  (text) => {
    expect(parseGoBool(text)).toBeUndefined();
  },
);
