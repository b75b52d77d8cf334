import { describe, expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import { hasNote, noteAnnotation, notePatch, ourNote } from "./note.ts";

const k1 = noteAnnotation("k1");
const k2 = noteAnnotation("k2");
const theirs = noteAnnotation("theirs");
const keys = testKeyring("k2", "k1");

describe("the note of a workload", () => {
  test("is that of our current key", () => {
    expect(ourNote({ [k1]: "old", [k2]: "new" }, keys)).toBe("new");
  });

  test("is that of an older key of ours while there is none of the current one", () => {
    expect(ourNote({ [k1]: "old" }, keys)).toBe("old");
  });

  test("is never that of an install with other keys, nor something inherited", () => {
    expect(ourNote({ [theirs]: "theirs" }, keys)).toBeUndefined();
    expect(ourNote(Object.create({ [k2]: "inherited" }), keys)).toBeUndefined();
  });

  test("is there whoever made it", () => {
    expect([{}, { note: "x" }, { [theirs]: "x" }, { [k2]: "" }].map(hasNote)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe("writing a note", () => {
  test("leaves one of ours, of the current key, and others' alone", () => {
    expect(notePatch({ [k1]: "old", [theirs]: "theirs", other: "x" }, keys, "new")).toEqual({
      [k1]: null,
      [k2]: "new",
    });
  });

  test("with nothing to say takes all of ours away", () => {
    expect(notePatch({ [k1]: "old", [k2]: "new", [theirs]: "theirs" }, keys, undefined)).toEqual({
      [k1]: null,
      [k2]: null,
    });
  });
});
