import { expect, test } from "vitest";
import { utf8 } from "../bytes.ts";
import { testKey } from "../fixture/test-keys.ts";
import { fleetChangeOf } from "./fleet-change.ts";
import { markOf } from "./mark.ts";
import type { SourceContent, SourceRef } from "./source.ts";

const source: SourceRef = { kind: "Secret", namespace: "shop", name: "db" };
const content = (password: string): SourceContent => ({
  data: new Map([["password", utf8(password)]]),
  binaryData: new Map(),
});
const key = testKey("k1");

test("the same content of the same source has one id, on whichever cluster", () => {
  expect(fleetChangeOf(source, content("a"), key)).toMatch(/^f1-[A-Za-z0-9_-]{22}$/);
  expect(fleetChangeOf({ ...source }, content("a"), key)).toBe(fleetChangeOf(source, content("a"), key));
});

test.each([
  ["content", source, content("b"), key],
  ["kind", { ...source, kind: "ConfigMap" as const }, content("a"), key],
  ["namespace", { ...source, namespace: "other" }, content("a"), key],
  ["name", { ...source, name: "other" }, content("a"), key],
  ["key", source, content("a"), testKey("k2")],
])("another %s has another id", (_, ref, of, keyed) => {
  expect(fleetChangeOf(ref, of, keyed)).not.toBe(fleetChangeOf(source, content("a"), key));
});

test("the id shares nothing with the mark of the same content", () => {
  const mark = markOf(source, content("a"), "all", key);
  expect(mark).not.toContain(fleetChangeOf(source, content("a"), key).slice(3));
});
