import { describe, expect, test } from "vitest";
import { managedFieldsOf, secondsOf, writtenBy } from "./managed-fields.ts";

const key = "reloader.stakater.com/auto";
const workload = {
  metadata: {
    managedFields: [
      {
        manager: "helm",
        time: "2026-01-01T00:00:10Z",
        fieldsV1: { "f:metadata": { "f:annotations": { ".": {}, [`f:${key}`]: {} } } },
      },
      { manager: "Reloader", time: "2026-01-01T00:00:30Z", fieldsV1: { "f:spec": { "f:template": {} } } },
      { manager: "Reloader", time: "2026-01-01T00:00:20Z", subresource: "status", fieldsV1: {} },
    ],
  },
};
const start = Date.UTC(2026, 0, 1) / 1000;

describe("what field managers own", () => {
  test("is told with the second of their last write", () => {
    const told = managedFieldsOf(workload).map(({ manager, atSeconds }) => [manager, atSeconds - start]);
    expect(told).toEqual([
      ["helm", 10],
      ["Reloader", 30],
      ["Reloader", 20],
    ]);
  });

  test("is found by the names of the fields, also where a name has dots and slashes", () => {
    const owns = (...path: readonly string[]) =>
      managedFieldsOf(workload).map((entry) => entry.owns(...path));
    expect(owns("metadata", "annotations", key)).toEqual([true, false, false]);
    expect(owns("spec", "template")).toEqual([false, true, false]);
    expect(owns("metadata", "annotations", "auto")).toEqual([false, false, false]);
    expect(owns("metadata", "annotations", "constructor")).toEqual([false, false, false]);
  });

  test.each([undefined, null, "text", {}, { metadata: {} }, { metadata: { managedFields: {} } }])(
    "is nothing where the API server does not say: %j",
    (object) => {
      expect(managedFieldsOf(object)).toEqual([]);
      expect(writtenBy("Reloader", object)).toBe(0);
    },
  );

  test("that cannot be read is owned by nobody, at no time", () => {
    const [entry] = managedFieldsOf({ metadata: { managedFields: [7] } });
    expect([entry?.manager, entry?.atSeconds, entry?.owns("spec")]).toEqual(["", 0, false]);
  });
});

test("a manager wrote last at the newest of its times", () => {
  expect(writtenBy("Reloader", workload)).toBe(start + 30);
  expect(writtenBy("nobody", workload)).toBe(0);
});

test("a time is whole seconds, and none when it cannot be read", () => {
  expect(secondsOf("1970-01-01T00:00:07.999Z")).toBe(7);
  expect([undefined, "", "yesterday", 7, null].map(secondsOf)).toEqual([0, 0, 0, 0, 0]);
});
