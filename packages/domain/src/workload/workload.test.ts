import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { annotationValue, parseWorkloadKey, workloadKey } from "./workload.ts";

describe("a workload's key", () => {
  const part = fc.stringMatching(/^[A-Za-z0-9.:-]{1,20}$/);

  test("names the workload it was made from", () => {
    fc.assert(
      fc.property(fc.record({ kind: part, namespace: part, name: part }), (workload) => {
        expect(parseWorkloadKey(workloadKey(workload))).toEqual(workload);
      }),
    );
  });

  test.each([
    "",
    "Deployment",
    "Deployment/ns",
    "Deployment/ns/name/more",
    "/ns/name",
    "Deployment//name",
    "Deployment/ns/",
  ])("is not %j", (text) => {
    expect(parseWorkloadKey(text)).toBeUndefined();
  });
});

describe("an annotation's value", () => {
  test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("is not inherited: %s", (key) => {
    expect(annotationValue({}, key)).toBeUndefined();
  });

  test.each(["constructor", "__proto__", "toString"])(
    "is found under whatever key the object has: %s",
    (key) => {
      expect(annotationValue(Object.fromEntries([[key, "mine"]]), key)).toBe("mine");
    },
  );
});
