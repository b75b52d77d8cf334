import { expect, test } from "vitest";
import { type AuditedWrite, candidatesFor } from "./audited-write.ts";
import { anythingKey, hintKey, readHintKey } from "./hint.ts";

function write(user: string, change: Partial<AuditedWrite> = {}): AuditedWrite {
  const source = { kind: "ConfigMap", namespace: "shop", name: "settings" } as const;
  const by = { user, groups: [], userAgent: "kubectl" };
  return { source, manager: "kubectl", fromSeconds: 100, toSeconds: 101, by, ...change };
}

const by = { manager: "kubectl", atSeconds: 101 };
const usersOf = (...writes: readonly AuditedWrite[]) => candidatesFor(by, writes).map(({ user }) => user);

test("who wrote with the field manager, in the second of the write, is a candidate", () => {
  expect(usersOf(write("ann"))).toEqual(["ann"]);
  expect(usersOf(write("ann", { toSeconds: 100 }))).toEqual([]);
  expect(usersOf(write("ann", { fromSeconds: 102, toSeconds: 102 }))).toEqual([]);
  expect(usersOf(write("ann", { manager: "helm" }))).toEqual([]);
});

test("two who wrote in one second are both candidates, and a repeated report is one", () => {
  expect(usersOf(write("ann"), write("bob"), write("ann", { fromSeconds: 101 }))).toEqual(["ann", "bob"]);
});

test("the key of a hint leads back to it, and nothing else does", () => {
  const hint = { group: "apps", resource: "deployments", namespace: "shop", name: "" };
  expect(readHintKey(hintKey(hint))).toEqual(hint);
  for (const key of [anythingKey, "", "a/b", "///", "a/b/c/d/e"]) expect(readHintKey(key)).toBeUndefined();
});
