import { describe, expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import {
  appliedAnnotation,
  appliedPatch,
  appliedTexts,
  hasAppliedState,
  hasOwnAppliedState,
  isOwnAppliedState,
  ourAppliedText,
} from "./applied-annotation.ts";

const k1 = appliedAnnotation("k1");
const k2 = appliedAnnotation("k2");
const theirs = appliedAnnotation("theirs");
const keys = testKeyring("k2", "k1");

describe("the applied state of a workload", () => {
  test("is that of our current key", () => {
    expect(ourAppliedText({ [k1]: "old", [k2]: "new" }, keys)).toBe("new");
  });

  test("is that of an older key of ours while there is none of the current one", () => {
    expect(ourAppliedText({ [k1]: "old" }, keys)).toBe("old");
  });

  test("is never that of an install with other keys, nor something inherited", () => {
    expect(ourAppliedText({ [theirs]: "theirs" }, keys)).toBeUndefined();
    expect(ourAppliedText(Object.create({ [k2]: "inherited" }), keys)).toBeUndefined();
  });

  test("is there whoever made it", () => {
    expect([{}, { note: "x" }, { [theirs]: "x" }, { [k2]: "" }].map(hasAppliedState)).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });
});

describe("writing an applied state", () => {
  test("leaves one of ours, of the current key, and others' alone", () => {
    expect(appliedPatch({ [k1]: "old", [theirs]: "theirs", other: "x" }, keys, "new")).toEqual({
      [k1]: null,
      [k2]: "new",
    });
  });

  test("with nothing to say takes all of ours away", () => {
    expect(appliedPatch({ [k1]: "old", [k2]: "new", [theirs]: "theirs" }, keys, undefined)).toEqual({
      [k1]: null,
      [k2]: null,
    });
  });
});

/** An object with these owners of annotations: field manager → annotations. */
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

describe("an applied state stands as we wrote it", () => {
  test.each([
    ["when we own it", { Reloader: [k2] }, true],
    ["when others own other annotations", { helm: ["other"], Reloader: [k2] }, true],
    ["when somebody wrote the same text after us, and shares it", { Reloader: [k2], helm: [k2] }, true],
    ["when the API server names no owner of it", { helm: ["other"] }, true],
    ["and not when somebody else wrote it", { helm: [k2] }, false],
    ["and not when we own other annotations only", { helm: [k2], Reloader: [k1, "other"] }, false],
  ])("%s", (_, owners, expected) => {
    const workload = { annotations: { [k2]: "x" }, object: ownedBy(owners) };
    expect(isOwnAppliedState(workload.annotations, workload.object, keys)).toBe(expected);
    expect(hasOwnAppliedState(workload)).toBe(expected);
  });

  test("judged by our current key, and by an older one only while that is alone", () => {
    const object = ownedBy({ helm: [k2], Reloader: [k1] });
    expect(isOwnAppliedState({ [k1]: "old", [k2]: "new" }, object, keys)).toBe(false);
    expect(isOwnAppliedState({ [k1]: "old" }, object, keys)).toBe(true);
    expect(isOwnAppliedState({ [k1]: "old" }, ownedBy({ helm: [k1] }), keys)).toBe(false);
  });

  test("only where there is one", () => {
    const object = ownedBy({ Reloader: [k2] });
    expect(isOwnAppliedState({}, object, keys)).toBe(false);
    expect(hasOwnAppliedState({ annotations: { other: "x" }, object })).toBe(false);
  });

  // A watch has no keys. It only needs to know whether any install of ours wrote a state.
  test("for a watch under whatever key, for a worker only under its own", () => {
    const object = ownedBy({ Reloader: [theirs] });
    expect(hasOwnAppliedState({ annotations: { [theirs]: "x" }, object })).toBe(true);
    expect(isOwnAppliedState({ [theirs]: "x" }, object, keys)).toBe(false);
  });
});

test("the applied states on a workload are those of every install, and nothing else", () => {
  const annotations = { [k1]: "one", other: "x", [theirs]: "theirs", "fleet-reloader.io/freeze": "true" };
  expect(appliedTexts(annotations)).toEqual(["one", "theirs"]);
  expect(appliedTexts({})).toEqual([]);
});
