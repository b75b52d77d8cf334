import { describe, expect, test } from "vitest";
import { parseLabelSelector } from "./label-selector.ts";

const labels = { app: "web", tier: "front", empty: "", size: "10" };

describe("label selector", () => {
  test.each([
    "",
    "app=web",
    "app==web,tier=front",
    "app!=db",
    "absent!=x",
    "app in (db, web)",
    "app notin (db),tier",
    "absent notin (x)",
    "empty",
    "empty=",
    "!absent",
    "size>9",
    "size<11",
    "example.com/a!=b",
  ])("%j fits", (selector) => {
    expect(parseLabelSelector(selector)(labels)).toBe(true);
  });

  test.each([
    "app=db",
    "app!=web",
    "app in (db)",
    "app notin (web)",
    "absent",
    "!app",
    "size>10",
    "absent in (x)",
  ])("%j does not fit", (selector) => {
    expect(parseLabelSelector(selector)(labels)).toBe(false);
  });

  test.each(["a b", "a in b", "a=b c", "a=1,", "=x"])("%j is refused", (selector) => {
    expect(() => parseLabelSelector(selector)).toThrow(/not a label requirement/);
  });

  test("no labels at all", () => {
    expect(parseLabelSelector("!a,b!=c")(undefined)).toBe(true);
  });
});
