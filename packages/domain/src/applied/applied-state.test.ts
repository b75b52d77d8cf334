import { describe, expect, test } from "vitest";
import { testKeyring } from "../fixture/test-keys.ts";
import { type AppliedState, formatAppliedState, parseAppliedState, servedOf } from "./applied-state.ts";

const keys = testKeyring("k1");

/** The fields that states in older formats do not have. */
const old = { uid: undefined, count: 0, served: undefined };
const state: AppliedState = {
  ...old,
  keyId: "k2",
  sources: new Map([
    ["Secret/tls", { type: "present", digest: "D2", keyId: "k2", keys: ["ca.crt", "tls.crt"] }],
    ["ConfigMap/app", { type: "present", digest: "D1", keyId: "k2", keys: "all" }],
    ["ConfigMap/gone", { type: "present", digest: "D0", keyId: "k1", keys: "all" }],
    ["ConfigMap/late", { type: "absent" }],
    [
      "ConfigMap/optional",
      { type: "present", digest: "D4", keyId: "k2", keys: "all", goneAfterSeconds: 1750 },
    ],
    [
      "SecretProviderClass/vault",
      { type: "present", digest: "D3", keyId: "k2", keys: "all", asOfSeconds: 1800 },
    ],
  ]),
  template: { digest: "T", togetherUntilSeconds: 1700 },
  patterns: ["Secret/b.*", "ConfigMap/a.*"],
};

describe("the applied state on a workload", () => {
  // The text is stored on people's workloads, so every version has to read what any earlier version wrote.
  test("is one line of JSON, short and sorted", () => {
    expect(formatAppliedState(state, keys)).toBe(
      '{"v":1,"key":"k2","template":"T","until":1700,"patterns":["ConfigMap/a.*","Secret/b.*"],"sources":{"ConfigMap/app":"D1",' +
        '"ConfigMap/gone":{"digest":"D0","key":"k1"},"ConfigMap/late":"-","ConfigMap/optional":{"digest":"D4","gone":1750},' +
        '"Secret/tls":{"digest":"D2","keys":["ca.crt","tls.crt"]},' +
        '"SecretProviderClass/vault":{"digest":"D3","asOf":1800}}}',
    );
  });

  test("says its workload, its count, and since when the workload is served", () => {
    const text = '{"v":1,"key":"k","uid":"u-1","n":7,"as":"a","since":1700,"sources":{}}';
    const served = { as: "a", sinceSeconds: 1700 };
    const said = { keyId: "k", uid: "u-1", count: 7, served, sources: new Map(), template: undefined };
    expect(formatAppliedState({ ...said, patterns: [] }, keys)).toBe(text);
    expect(parseAppliedState(text, keys)).toEqual({ ...said, patterns: [] });
    expect(servedOf(text)).toEqual(served);
    expect(servedOf(formatAppliedState(state, keys))).toBeUndefined();
  });

  test("says nothing of the template and of patterns where they do not matter", () => {
    expect(
      formatAppliedState({ ...old, keyId: "k", sources: new Map(), template: undefined, patterns: [] }, keys),
    ).toBe('{"v":1,"key":"k","sources":{}}');
  });

  test("is the same text whatever the order its sources were seen in", () => {
    const reversed = { ...state, sources: new Map([...state.sources].reverse()) };
    expect(formatAppliedState(reversed, keys)).toBe(formatAppliedState(state, keys));
  });
});

describe("an applied state that cannot be read counts as none", () => {
  test.each([
    ["there is none", undefined],
    ["it is empty", ""],
    ["it is no JSON", '{"v":1,"key":"k","sources":{'],
    ["it is JSON of another kind", '["v",1]'],
    ["it is of a version to come", '{"v":2,"key":"k","sources":{}}'],
    ["it names no key", '{"v":1,"sources":{}}'],
    ["it has no sources", '{"v":1,"key":"k"}'],
    ["its sources are a list", '{"v":1,"key":"k","sources":[]}'],
    ["one source is a number", '{"v":1,"key":"k","sources":{"ConfigMap/a":7}}'],
    ["one source has no digest", '{"v":1,"key":"k","sources":{"ConfigMap/a":{"keys":["b"]}}}'],
    [
      "one source has keys of another type",
      '{"v":1,"key":"k","sources":{"ConfigMap/a":{"digest":"d","keys":[1]}}}',
    ],
    [
      "the keys of one source are a text",
      '{"v":1,"key":"k","sources":{"ConfigMap/a":{"digest":"d","keys":"b"}}}',
    ],
    [
      "the key of one source is a number",
      '{"v":1,"key":"k","sources":{"ConfigMap/a":{"digest":"d","key":1}}}',
    ],
  ])("when %s", (_, text) => {
    expect(parseAppliedState(text, keys)).toBeUndefined();
  });

  test("and a template that cannot be read is one it says nothing about", () => {
    expect(
      parseAppliedState('{"v":1,"key":"k","template":"T","sources":{}}', keys)?.template,
    ).toBeUndefined();
    expect(
      parseAppliedState('{"v":1,"key":"k","template":"T","until":"7","sources":{}}', keys)?.template,
    ).toBeUndefined();
  });
});
