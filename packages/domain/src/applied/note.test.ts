import { describe, expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import { hasNote, hasOwnNote, isOwnNote, noteAnnotation, notePatch, noteTexts, ourNote } from "./note.ts";

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

/** An object whose annotations are owned like this: field manager → annotations. */
function ownedBy(owners: Readonly<Record<string, readonly string[]>>): object {
  const managedFields = Object.entries(owners).map(([manager, annotations]) => ({
    manager,
    time: "2026-01-01T00:00:00Z",
    fieldsV1: {
      "f:metadata": { "f:annotations": Object.fromEntries(annotations.map((key) => [`f:${key}`, {}])) },
    },
  }));
  return { metadata: { managedFields } };
}

describe("a note stands as we wrote it", () => {
  test.each([
    ["when we own it", { Reloader: [k2] }, true],
    ["when others own other annotations", { helm: ["other"], Reloader: [k2] }, true],
    ["when somebody wrote the same text after us, and shares it", { Reloader: [k2], helm: [k2] }, true],
    ["when the API server names no owner of it", { helm: ["other"] }, true],
    ["and not when somebody else wrote it", { helm: [k2] }, false],
    ["and not when we own other annotations only", { helm: [k2], Reloader: [k1, "other"] }, false],
  ])("%s", (_, owners, expected) => {
    const workload = { annotations: { [k2]: "x" }, object: ownedBy(owners) };
    expect(isOwnNote(workload.annotations, workload.object, keys)).toBe(expected);
    expect(hasOwnNote(workload)).toBe(expected);
  });

  test("judged by our current key, and by an older one only while that is alone", () => {
    const object = ownedBy({ helm: [k2], Reloader: [k1] });
    expect(isOwnNote({ [k1]: "old", [k2]: "new" }, object, keys)).toBe(false);
    expect(isOwnNote({ [k1]: "old" }, object, keys)).toBe(true);
    expect(isOwnNote({ [k1]: "old" }, ownedBy({ helm: [k1] }), keys)).toBe(false);
  });

  test("only where there is one", () => {
    const object = ownedBy({ Reloader: [k2] });
    expect(isOwnNote({}, object, keys)).toBe(false);
    expect(hasOwnNote({ annotations: { other: "x" }, object })).toBe(false);
  });

  // A watch, which has no keys, asks only whether anybody of us was there.
  test("for a watch under whatever key, for a worker only under its own", () => {
    const object = ownedBy({ Reloader: [theirs] });
    expect(hasOwnNote({ annotations: { [theirs]: "x" }, object })).toBe(true);
    expect(isOwnNote({ [theirs]: "x" }, object, keys)).toBe(false);
  });
});

test("the notes on a workload are those of every install, and nothing else", () => {
  const annotations = { [k1]: "one", other: "x", [theirs]: "theirs", "fleet-reloader.io/freeze": "true" };
  expect(noteTexts(annotations)).toEqual(["one", "theirs"]);
  expect(noteTexts({})).toEqual([]);
});
