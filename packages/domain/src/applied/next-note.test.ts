import { describe, expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import { type AppliedState, formatAppliedState, parseAppliedState } from "./applied-state.ts";
import { nextNote } from "./next-note.ts";

const keys = testKeyring("k1");

const said: AppliedState = {
  ...{ keyId: "k1", uid: "uid-1", count: 0, served: undefined, template: undefined, patterns: [] },
  sources: new Map([["ConfigMap/app", { type: "present", digest: "D1", keyId: "k1", keys: "all" }]]),
};
const other: AppliedState = { ...said, sources: new Map([["ConfigMap/app", { type: "absent" }]]) };
const status = (applied: AppliedState, count: number) => formatAppliedState({ ...applied, count }, keys);

describe("the next note", () => {
  test("is the text on the workload when it says the same: a repeat writes nothing", () => {
    const text = status(said, 4);
    expect(nextNote(said, { text, count: 4, isFence: false }, keys)).toBe(text);
  });

  test("counts one more than the one before when it says something else", () => {
    expect(nextNote(other, { text: status(said, 4), count: 4, isFence: false }, keys)).toBe(status(other, 5));
  });

  test("is the first when there was none", () => {
    expect(nextNote(said, { text: undefined, count: 0, isFence: false }, keys)).toBe(status(said, 1));
  });

  // An old one was restored, or the remembered one was taken away.
  test("counts one more than what Redis remembers, though a lower count stands there", () => {
    expect(nextNote(said, { text: status(said, 2), count: 7, isFence: false }, keys)).toBe(status(said, 8));
    expect(nextNote(said, { text: undefined, count: 7, isFence: false }, keys)).toBe(status(said, 8));
  });

  test("does not count what is handed in with it, only what was written before", () => {
    const handed = { ...said, count: 99 };
    expect(nextNote(handed, { text: undefined, count: 1, isFence: false }, keys)).toBe(status(said, 2));
  });

  test("as a fence is another text though it says the same", () => {
    const text = status(said, 4);
    expect(nextNote(said, { text, count: 4, isFence: true }, keys)).toBe(status(said, 5));
  });

  test("leaves a note of before as it is while there is nothing else to say", () => {
    const text = '{"v":1,"key":"k1","sources":{}}';
    const before = parseAppliedState(text, keys);
    expect(before && nextNote(before, { text, count: 0, isFence: false }, keys)).toBe(text);
  });
});
