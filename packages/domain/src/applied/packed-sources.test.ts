import { expect, test } from "vitest";
import { PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { testKeyring } from "../fixture/test-keys.ts";
import type { AppliedSource } from "./applied-source.ts";
import { formatAppliedState, parseAppliedState } from "./applied-state.ts";

const keys = testKeyring("k1");
const count = 4_480;

function noteOf(digestOf: (at: number) => string, sources = count) {
  return {
    ...{
      keyId: "k1",
      uid: "u",
      count: 1,
      served: undefined,
      template: undefined,
      patterns: ["ConfigMap/a.*"],
    },
    sources: new Map(
      Array.from({ length: sources }, (_, at) => [
        `ConfigMap/a-name-of-the-usual-length-${at}`,
        { type: "present", digest: digestOf(at), keyId: "k1", keys: "all" } as const,
      ]),
    ),
  };
}

const digestOf = (at: number): string => `${String(at).padStart(10, "0")}AAAAAAAAAAAA`;

// All annotations of an object share 256 KiB. A longer applied state could not be written, so the workload was never adopted.
test("an applied state of very many sources fits any object", () => {
  const applied = noteOf(digestOf);
  const text = formatAppliedState(applied, keys);
  expect(text.length).toBeLessThan(100_000);
  expect(formatAppliedState(noteOf(digestOf, 10_000), keys).length).toBeLessThan(200_000);
  const read = parseAppliedState(text, keys)?.sources;
  for (const [name, source] of applied.sources)
    expect(read?.get(name)).toEqual({ ...source, digest: source.digest.slice(0, 10) });
  expect(read?.has("ConfigMap/another")).toBe(false);
});

test("it is the same text for the same, in any order, and read and written again", () => {
  const applied = noteOf(digestOf);
  const text = formatAppliedState(applied, keys);
  const turned = { ...applied, sources: new Map([...applied.sources].reverse()) };
  expect(formatAppliedState(turned, keys)).toBe(text);
  const read = parseAppliedState(text, keys);
  expect(read && formatAppliedState(read, keys)).toBe(text);
});

test("what is not plain stays as it is", () => {
  const applied = noteOf(digestOf);
  const odd = { type: "present", digest: "D", keyId: "k0", keys: ["a"] } as const;
  const sources = new Map<string, AppliedSource>([
    ...applied.sources,
    ["Secret/odd", odd],
    ["Secret/gone", { type: "absent" }],
  ]);
  const read = parseAppliedState(formatAppliedState({ ...applied, sources }, keys), keys)?.sources;
  expect(read?.get("Secret/odd")).toEqual(odd);
  expect(read?.get("Secret/gone")).toEqual({ type: "absent" });
  expect([...(read?.keys() ?? [])]).toEqual(["Secret/odd"]);
});

// Names and contents of Secrets are guessed more easily than keys (I4).
test("neither a name nor a digest that could be made without the key is in it", () => {
  const applied = noteOf(digestOf);
  const text = formatAppliedState(applied, keys);
  const other = formatAppliedState({ ...applied, keyId: "k2" }, testKeyring("k2"));
  expect(text).not.toContain("a-name");
  const packed = (appliedText: string): readonly string[] =>
    /"packed":"([^"]*)"/.exec(appliedText)?.[1]?.match(/.{18}/g) ?? [];
  expect(packed(text)).toHaveLength(count);
  const names = new Set(packed(text).map((entry) => entry.slice(0, 8)));
  expect(packed(other).filter((entry) => names.has(entry.slice(0, 8)))).toEqual([]);
});

test.each(["", "x", "a b c d e f g h i ", 7])(
  "what is no list of digests is no applied state: %j",
  (packed) => {
    expect(parseAppliedState(JSON.stringify({ v: 1, key: "k1", packed, sources: {} }), keys)).toBeUndefined();
  },
);

test("one that was made with a key we do not have is none", () => {
  const text = formatAppliedState(noteOf(digestOf), keys);
  expect(parseAppliedState(text, testKeyring("k2"))).toBeUndefined();
});

// One roll for a change, none without, as with an unpacked applied state (I2, I3).
test("a workload with such a state rolls for what changes, for that alone, and once", () => {
  const workload = new PlannedWorkload(templateUsing({}));
  const names = Array.from({ length: 3_000 }, (_, at) => `config-of-some-tenant-${at}`);
  for (const name of names) workload.set("ConfigMap", name, { a: name });
  workload.nameAll("ConfigMap", "config-");
  workload.reconcile();
  expect(workload.appliedText).toContain('"packed"');
  expect(workload.reconcile()).toEqual({});
  workload.now += 60;
  workload.set("ConfigMap", "config-of-some-tenant-7", { a: "changed" });
  expect(workload.reconcile()).toEqual({ "config-of-some-tenant-7": "SourceChanged" });
  expect(workload.reconcile()).toEqual({});
  workload.keys = testKeyring("k2", workload.keys.current.keyId);
  expect(workload.reconcile()).toEqual({});
});
