import { describe, expect, test } from "vitest";
import { isJsonObject, jsonField, jsonList, jsonText, jsonTexts } from "./json.ts";

describe("what came from outside", () => {
  test.each([null, undefined, [], "text", 1, true])("%j is no object and has no fields", (value) => {
    expect(isJsonObject(value)).toBe(false);
    expect(jsonField(value, "length")).toBeUndefined();
    expect(jsonTexts(value)).toEqual({});
  });

  test("has only the fields that are its own", () => {
    expect(jsonField({}, "constructor")).toBeUndefined();
    expect(jsonField({ a: 1 }, "a")).toBe(1);
    expect(jsonField({ a: { b: 1 } }, "a", "b")).toBe(1);
    expect(jsonField({ a: {} }, "a", "constructor", "name")).toBeUndefined();
  });

  test("is an empty list when it is none, and says nothing when it is empty", () => {
    expect(jsonList({ length: 1 })).toEqual([]);
    expect(jsonText("")).toBeUndefined();
    expect(jsonText(7)).toBeUndefined();
  });

  test("keeps the texts of an object and leaves out the rest; touches no prototype", () => {
    const texts = jsonTexts(JSON.parse('{"a":"x","b":1,"__proto__":"y"}'));
    expect(Object.entries(texts)).toEqual([
      ["a", "x"],
      ["__proto__", "y"],
    ]);
    expect(Object.getPrototypeOf(texts)).toBe(Object.prototype);
  });
});
