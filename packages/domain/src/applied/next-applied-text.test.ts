import { describe, expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import { type AppliedState, formatAppliedState, parseAppliedState } from "./applied-state.ts";
import { nextAppliedText } from "./next-applied-text.ts";

const keys = testKeyring("k1");

const state: AppliedState = {
  ...{ keyId: "k1", uid: "uid-1", count: 0, served: undefined, template: undefined, patterns: [] },
  sources: new Map([["ConfigMap/app", { type: "present", digest: "D1", keyId: "k1", keys: "all" }]]),
};
const other: AppliedState = { ...state, sources: new Map([["ConfigMap/app", { type: "absent" }]]) };
const textOf = (applied: AppliedState, count: number) => formatAppliedState({ ...applied, count }, keys);

describe("the next applied state", () => {
  test("is the text on the workload when it says the same: a repeat writes nothing", () => {
    const text = textOf(state, 4);
    expect(nextAppliedText(state, { text, count: 4, isFence: false }, keys)).toBe(text);
  });

  test("counts one more than the one before when it says something else", () => {
    expect(nextAppliedText(other, { text: textOf(state, 4), count: 4, isFence: false }, keys)).toBe(
      textOf(other, 5),
    );
  });

  test("is the first when there was none", () => {
    expect(nextAppliedText(state, { text: undefined, count: 0, isFence: false }, keys)).toBe(
      textOf(state, 1),
    );
  });

  // Somebody restored an old state or removed the remembered one.
  test("counts one more than what Redis remembers, though a lower count stands there", () => {
    expect(nextAppliedText(state, { text: textOf(state, 2), count: 7, isFence: false }, keys)).toBe(
      textOf(state, 8),
    );
    expect(nextAppliedText(state, { text: undefined, count: 7, isFence: false }, keys)).toBe(
      textOf(state, 8),
    );
  });

  test("does not count what is handed in with it, only what was written before", () => {
    const handed = { ...state, count: 99 };
    expect(nextAppliedText(handed, { text: undefined, count: 1, isFence: false }, keys)).toBe(
      textOf(state, 2),
    );
  });

  test("as a fence is another text though it says the same", () => {
    const text = textOf(state, 4);
    expect(nextAppliedText(state, { text, count: 4, isFence: true }, keys)).toBe(textOf(state, 5));
  });

  test("leaves a state in an older format as it is while there is nothing else to say", () => {
    const text = '{"v":1,"key":"k1","sources":{}}';
    const before = parseAppliedState(text, keys);
    expect(before && nextAppliedText(before, { text, count: 0, isFence: false }, keys)).toBe(text);
  });
});
