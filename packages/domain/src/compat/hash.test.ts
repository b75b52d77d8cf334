import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { utf8 } from "../bytes.ts";
import type { SourceContent } from "../source/source.ts";
import { compatDeletedMarker, compatHash, compatSourceHash } from "./hash.ts";

// Only the test uses Node's crypto. The domain gets its digests from the caller.
const sha1 = (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("hex");

function content(
  data: Readonly<Record<string, string | Uint8Array>>,
  binaryData: Readonly<Record<string, Uint8Array>> = {},
): SourceContent {
  return {
    data: new Map(Object.entries(data).map(([key, v]) => [key, typeof v === "string" ? utf8(v) : v])),
    binaryData: new Map(Object.entries(binaryData)),
  };
}

// The golden vectors of compat 3.2.
test.each([
  ["an empty ConfigMap", "ConfigMap", content({}), "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
  ["an empty Secret", "Secret", content({}), "da39a3ee5e6b4b0d3255bfef95601890afd80709"],
  ["one key", "ConfigMap", content({ key: "value" }), "dc30e0faa89a70dec1033016a2309bbeb9efcbd0"],
  ["two keys", "ConfigMap", content({ b: "2", a: "1" }), "f83e99e324ba68ccc373a58ef1eb42f8ab88646a"],
  [
    "one that looks like two",
    "ConfigMap",
    content({ a: "1;b=2" }),
    "f83e99e324ba68ccc373a58ef1eb42f8ab88646a",
  ],
  [
    "items sorted as wholes",
    "ConfigMap",
    content({ a: "1", "a-b": "2" }),
    "c84ab684ba8b31449f333adb8a148da918699967",
  ],
  [
    "binary data as base64",
    "ConfigMap",
    content({ test: "test" }, { bintest: utf8("test") }),
    "0d58150de76a895b24f4ca213f590766160c4349",
  ],
  [
    "bytes that are no text",
    "Secret",
    content({ k: Uint8Array.of(0xff, 0) }),
    "16b6cb115b700f6d9f568dece53d091b0ed3e600",
  ],
  ["a password", "Secret", content({ password: "s3cr3t" }), "d93dd00779cd04e2ec1db21fa3d0e20deea13f9c"],
] as const)("the hash of %s is the peer's", (_, kind, given, expected) => {
  expect(compatHash(kind, given, sha1)).toBe(expected);
});

test("the hash of a secret provider class is the peer's: its name is among the items", () => {
  const source = { kind: "SecretProviderClass", name: "my-spc" } as const;
  const expected = "5dde526f7f2ead8135ff8e5972242335b1369d5d";
  expect(compatSourceHash(source, content({ "secret/a": "v1" }), sha1)).toBe(expected);
  const secret = { kind: "Secret", name: "my-spc" } as const;
  expect(compatSourceHash(secret, content({ a: "1" }), sha1)).toBe(
    compatHash("Secret", content({ a: "1" }), sha1),
  );
});

test("the hash of a deletion is the peer's", () => {
  expect(sha1(utf8(compatDeletedMarker))).toBe("aae45badef99284e4dae01d6046154ea9d99532f");
});

test("items are sorted by byte, where JavaScript would sort by UTF-16 unit", () => {
  const expected = sha1(utf8("k\uFF5E=1;k\u{1F600}=2"));
  expect(compatHash("Secret", content({ "k\u{1F600}": "2", "k\uFF5E": "1" }), sha1)).toBe(expected);
});

test("an object with more keys than a call has arguments is hashed like any other", () => {
  const keys = Array.from({ length: 150_000 }, (_, i) => String(i).padStart(6, "0"));
  const data = new Map(keys.map((key) => [key, new Uint8Array()]));
  const joined = keys.map((key) => `${key}=`).join(";");
  expect(compatHash("ConfigMap", { data, binaryData: new Map() }, sha1)).toBe(sha1(utf8(joined)));
});
