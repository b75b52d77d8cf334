import { expect, test } from "vitest";
import { sourceKey } from "./source.ts";

test("a source's key names its kind, namespace and name", () => {
  expect(sourceKey({ kind: "ConfigMap", namespace: "shop", name: "app.config" })).toBe(
    "ConfigMap/shop/app.config",
  );
});

test("what looks alike across a boundary has different keys", () => {
  const keys = [
    sourceKey({ kind: "Secret", namespace: "a", name: "b-c" }),
    sourceKey({ kind: "Secret", namespace: "a-b", name: "c" }),
    sourceKey({ kind: "ConfigMap", namespace: "a", name: "b-c" }),
  ];
  expect(new Set(keys).size).toBe(3);
});
