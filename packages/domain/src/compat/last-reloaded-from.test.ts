import { describe, expect, test } from "vitest";
import { formatLastReloadedFrom, parseLastReloadedFrom } from "./last-reloaded-from.ts";

const written = {
  source: { kind: "ConfigMap", namespace: "shop", name: "app" },
  hash: "dc30e0faa89a70dec1033016a2309bbeb9efcbd0",
  containerRefs: ["web"],
  observedAtSeconds: 1_700_000_000,
} as const;

const text =
  '{"type":"CONFIGMAP","name":"app","namespace":"shop","hash":"dc30e0faa89a70dec1033016a2309bbeb9efcbd0",' +
  '"containerRefs":["web"],"observedAt":1700000000}';

describe("last-reloaded-from", () => {
  test("is compact JSON with the peer's fields in the peer's order", () => {
    expect(formatLastReloadedFrom(written)).toBe(text);
  });

  test("is read as it was written", () => {
    expect(parseLastReloadedFrom(text)).toEqual(written);
  });

  test("of version 2 is read", () => {
    const version2 = {
      kind: "Secret",
      name: "app",
      namespace: "shop",
      hash: "h",
      containers: ["web"],
      reloadedAt: "2026-01-01T00:00:00Z",
    };
    expect(parseLastReloadedFrom(JSON.stringify(version2))).toEqual({
      source: { kind: "Secret", namespace: "shop", name: "app" },
      hash: "h",
      containerRefs: ["web"],
    });
  });

  test.each(["CONFIGMAP", "ConfigMap", "configmap"])("has its kind in whatever capitals: %s", (type) => {
    const value = JSON.stringify({ type, name: "a", namespace: "n", hash: "h", more: { nested: [] } });
    expect(parseLastReloadedFrom(value)?.source.kind).toBe("ConfigMap");
  });

  test.each([
    "",
    "not json",
    "null",
    "[]",
    '"text"',
    "{}",
    '{"type":"CONFIGMAP","name":"a","namespace":"n"}',
    '{"type":"CONFIGMAP","name":7,"namespace":"n","hash":"h"}',
    '{"type":"CLUSTERSECRET","name":"a","namespace":"n","hash":"h"}',
    '{"__proto__":{"type":"CONFIGMAP","name":"a","namespace":"n","hash":"h"}}',
  ])("says nothing as %j", (value) => {
    expect(parseLastReloadedFrom(value)).toBeUndefined();
  });

  test("leaves out containers that are no names", () => {
    const value = JSON.stringify({
      type: "SECRET",
      name: "a",
      namespace: "n",
      hash: "h",
      containerRefs: [1, "c"],
    });
    expect(parseLastReloadedFrom(value)?.containerRefs).toEqual(["c"]);
  });
});
