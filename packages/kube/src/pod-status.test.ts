import { describe, expect, test } from "vitest";
import { isRotated, newestOf, podStatus } from "./pod-status.ts";

const at = (second: number) => new Date(second * 1000).toISOString();

/** A status whose objects and whose labels were written at these seconds. */
function status(
  version: string,
  rv: string,
  written: { readonly objects: number; readonly labels?: number },
) {
  const { objects, labels = 0 } = written;
  return {
    metadata: {
      ...{ name: `pod-${rv}`, namespace: "ns", resourceVersion: rv, creationTimestamp: at(0) },
      managedFields: [
        { time: at(objects), fieldsV1: { "f:status": { "f:objects": {} } } },
        { time: at(labels), fieldsV1: { "f:metadata": { "f:labels": {} } } },
      ],
    },
    status: { secretProviderClassName: "vault", objects: [{ id: "key", version }] },
  };
}

function newest(...all: readonly unknown[]): string | undefined {
  return newestOf(all.map(podStatus).filter((one) => one !== undefined))?.objects[0]?.[1];
}

describe("the newest pod status", () => {
  test("is the one whose objects changed last, whatever else was written since", () => {
    const ahead = status("v2", "20", { objects: 200 });
    expect(newest(ahead, status("v1", "10", { objects: 100 }))).toBe("v2");
    expect(newest(status("v1", "30", { objects: 100, labels: 300 }), ahead)).toBe("v2");
  });

  test("is the one written last where they changed in the same second", () => {
    expect(newest(status("v2", "100", { objects: 7 }), status("v1", "99", { objects: 7 }))).toBe("v2");
  });

  test("is none where there is none", () => {
    expect(newest()).toBeUndefined();
  });
});

test.each([
  ["without a class", { metadata: { name: "a", namespace: "ns" }, status: { objects: [{ id: "a" }] } }],
  [
    "without objects",
    { metadata: { name: "a", namespace: "ns" }, status: { secretProviderClassName: "vault" } },
  ],
  ["that is none", "text"],
])("a pod status %s says nothing", (_, object) => {
  expect(podStatus(object)).toBeUndefined();
});

describe("a class is rotated", () => {
  const rotated = (...all: readonly unknown[]) =>
    isRotated(all.map(podStatus).filter((one) => one !== undefined));
  const made = status("v1", "10", { objects: 0 });

  test("when a status was written again: by its generation, though no second has passed", () => {
    expect(rotated(made)).toBe(false);
    expect(rotated({ ...made, metadata: { ...made.metadata, generation: 2 } })).toBe(true);
    expect(rotated(status("v1", "10", { objects: 1 }))).toBe(true);
  });

  test("when the pods show different versions", () => {
    expect(rotated(made, status("v2", "11", { objects: 0 }))).toBe(true);
    expect(rotated(made, status("v1", "11", { objects: 0 }))).toBe(false);
  });
});
