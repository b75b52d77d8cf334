import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concatBytes, utf8 } from "../bytes.ts";
import { canonicalBytes, combineMarks, isMark, markKeyId, markOf } from "./mark.ts";
import type { SourceContent, SourceRef } from "./source.ts";

const keyed = {
  keyId: "k1",
  digest: (bytes: Uint8Array) =>
    createHmac("sha256", "test key").update(bytes).digest().subarray(0, 16).toString("base64url"),
};

const source: SourceRef = { kind: "ConfigMap", namespace: "ns", name: "app" };

function content(
  data: Readonly<Record<string, string>>,
  binaryData: Readonly<Record<string, string>> = {},
): SourceContent {
  const bytes = (texts: Readonly<Record<string, string>>) =>
    new Map(Object.entries(texts).map(([key, value]) => [key, utf8(value)]));
  return { data: bytes(data), binaryData: bytes(binaryData) };
}

const arbitraryData = fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 4 }), { maxKeys: 4 });

describe("the canonical bytes", () => {
  test("are kind, namespace, name, then presence, key and value, each behind its length", () => {
    const framed = (text: string) => [Uint8Array.of(0, 0, 0, 0, 0, 0, 0, text.length), utf8(text)];
    expect(canonicalBytes(source, content({ b: "22", a: "" }), ["b", "a", "c", "a"])).toEqual(
      concatBytes([
        ...["ConfigMap", "ns", "app"].flatMap(framed),
        ...[Uint8Array.of(1), ...framed("a"), ...framed("")],
        ...[Uint8Array.of(1), ...framed("b"), ...framed("22")],
        ...[Uint8Array.of(0), ...framed("c")],
      ]),
    );
  });

  test("of different contents differ, whatever the separators in them (T12)", () => {
    fc.assert(
      fc.property(arbitraryData, arbitraryData, (a, b) => {
        const isSame =
          Object.keys(a).length === Object.keys(b).length &&
          Object.entries(a).every(([key, value]) => Object.hasOwn(b, key) && b[key] === value);
        const left = Buffer.from(canonicalBytes(source, content(a), "all"));
        expect(left.equals(canonicalBytes(source, content(b), "all"))).toBe(isSame);
      }),
    );
  });

  test("sort keys by byte and not by UTF-16 unit", () => {
    const text = Buffer.from(
      canonicalBytes(source, content({ "\u{1F600}": "", "\uFF5E": "" }), "all"),
    ).toString();
    expect(text.indexOf("\uFF5E")).toBeLessThan(text.indexOf("\u{1F600}"));
  });
});

describe("a mark", () => {
  const mark = (data: Readonly<Record<string, string>>, keys: "all" | readonly string[] = "all") =>
    markOf(source, content(data), keys, keyed);

  test("of a content that is asked for again needs no second digest", () => {
    let digests = 0;
    const counted = {
      ...keyed,
      digest: (bytes: Uint8Array) => {
        digests += 1;
        return keyed.digest(bytes);
      },
    };
    const one = content({ a: "1", b: "2" });
    const asked = [source, source, { ...source, name: "other" }].flatMap((its) => [
      markOf(its, one, "all", counted),
      markOf(its, one, ["a"], counted),
    ]);
    expect(digests).toBe(4);
    expect(asked.slice(0, 2)).toEqual(asked.slice(2, 4));
    expect(new Set(asked).size).toBe(4);
    expect(markOf(source, one, "all", { ...keyed, keyId: "k2" })).toMatch(/^v1:k2:/);
  });

  test("has the version, the id of the key, and 22 characters", () => {
    expect(mark({ a: "1" })).toMatch(/^v1:k1:[A-Za-z0-9_-]{22}$/);
    expect(markKeyId(mark({ a: "1" }))).toBe("k1");
    expect(isMark(mark({ a: "1" }))).toBe(true);
  });

  test.each([
    "",
    "v1:k1:",
    "v2:k1:AAAAAAAAAAAAAAAAAAAAAA",
    "v1:k:1:AAAAAAAAAAAAAAAAAAAAAA",
    "dc30e0faa89a70dec1033016a2309bbeb9efcbd0",
    "v1:k1:AAAAAAAAAAAAAAAAAAAAAA\n",
  ])("is not %j", (text) => {
    expect(isMark(text)).toBe(false);
  });

  test("tells apart what the peer's hash cannot", () => {
    expect(mark({ a: "1;b=2" })).not.toBe(mark({ a: "1", b: "2" }));
  });

  test("tells an empty key from one that is not there", () => {
    expect(mark({ a: "" }, ["a"])).not.toBe(mark({}, ["a"]));
    expect(mark({ a: "" })).not.toBe(mark({}));
  });

  test("does not depend on the order of keys, or on where the bytes come from (T5)", () => {
    fc.assert(
      fc.property(arbitraryData, fc.func(fc.boolean()), (data, isBinary) => {
        const entries = Object.entries(data).reverse();
        const split = content(
          Object.fromEntries(entries.filter(([key]) => !isBinary(key))),
          Object.fromEntries(entries.filter(([key]) => isBinary(key))),
        );
        expect(markOf(source, split, "all", keyed)).toBe(mark(data));
      }),
    );
  });

  test("does not change with a key that nobody reads (T6)", () => {
    fc.assert(
      fc.property(arbitraryData, fc.string({ maxLength: 4 }), (data, value) => {
        const keys = Object.keys(data);
        expect(mark({ ...data, "another key": value }, keys)).toBe(mark(data, keys));
      }),
    );
  });

  test("is another for the same content elsewhere, or under another key", () => {
    const data = content({ a: "1" });
    const marks = [
      mark({ a: "1" }),
      markOf({ ...source, kind: "Secret" }, data, "all", keyed),
      markOf({ ...source, namespace: "ns2" }, data, "all", keyed),
      markOf({ ...source, name: "app2" }, data, "all", keyed),
      markOf({ ...source, namespace: "nsa", name: "pp" }, data, "all", keyed),
      markOf(source, data, "all", { ...keyed, keyId: "k2" }),
    ];
    expect(new Set(marks).size).toBe(marks.length);
  });

  test("works with keys that every object inherits", () => {
    const proto = Object.fromEntries([["__proto__", "1"]]);
    expect(mark(proto)).not.toBe(mark({}));
    expect(mark({}, ["constructor"])).not.toBe(mark({ constructor: "" }, ["constructor"]));
  });

  test("is not made with a digest of another shape, and the complaint does not show it", () => {
    const hex = { keyId: "k1", digest: () => "dc30e0faa89a70dec1033016a2309bbeb9efcbd0" };
    expect(() => markOf(source, content({}), "all", hex)).toThrow(/^(?!.*dc30e0).*$/s);
    expect(() => markOf(source, content({}), "all", { ...keyed, keyId: "a:b" })).toThrow(TypeError);
  });
});

describe("the mark of several sources", () => {
  const other: SourceRef = { ...source, kind: "Secret" };
  const marks = [
    { source, mark: markOf(source, content({ a: "1" }), "all", keyed) },
    { source: other, mark: markOf(other, content({ a: "1" }), "all", keyed) },
  ];

  test("does not depend on their order", () => {
    expect(combineMarks(marks.toReversed(), keyed)).toBe(combineMarks(marks, keyed));
  });

  test("changes with each of them, and with their number", () => {
    const changed = marks.map((each, i) =>
      i === 0 ? { ...each, mark: "v1:k1:AAAAAAAAAAAAAAAAAAAAAA" } : each,
    );
    const swapped = marks.map((each, i) => ({ ...each, mark: marks[1 - i]?.mark ?? "" }));
    const all = [marks, changed, swapped, marks.slice(1), []].map((each) => combineMarks(each, keyed));
    expect(new Set(all).size).toBe(5);
    expect(all.every(isMark)).toBe(true);
  });
});
