import { expect, test } from "vitest";
import { sourceWrite } from "./source-write.ts";

const entry = (manager: string, time: string, fields: object) => ({
  ...{ manager, time, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
  fieldsV1: fields,
});
const at = (minute: string) => `2026-07-01T12:${minute}:00Z`;
const write = (...managedFields: readonly object[]) =>
  sourceWrite({ metadata: { resourceVersion: "7", managedFields } });

test("who wrote content last is the actor, not who wrote a label after it", () => {
  const by = write(
    entry("kubectl-create", at("00"), { "f:data": { ".": {}, "f:a": {} } }),
    entry("external-secrets", at("01"), { "f:data": { "f:b": {} } }),
    entry("kubectl-label", at("02"), { "f:metadata": { "f:labels": {} } }),
  ).by;
  expect(by).toEqual({
    manager: "external-secrets",
    operation: "Update",
    atSeconds: Date.parse(at("01")) / 1000,
  });
});

test("binary content counts, and of two in the same second the later entry", () => {
  const binary = entry("argocd-controller", at("01"), { "f:binaryData": { "f:a": {} } });
  expect(write(entry("helm", at("01"), { "f:data": {} }), binary).by?.manager).toBe("argocd-controller");
});

test("nobody is guessed", () => {
  expect(write(entry("kubectl-label", at("02"), { "f:metadata": {} }))).toEqual({ resourceVersion: "7" });
  expect(sourceWrite({ metadata: { resourceVersion: "8" } })).toEqual({ resourceVersion: "8" });
});
