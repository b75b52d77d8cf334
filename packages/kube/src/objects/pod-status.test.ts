import { describe, expect, test } from "vitest";
import { isRotated, newestOf, PodStatusHandler, podStatus, seenPodStatus } from "./pod-status.ts";

const at = (second: number) => new Date(second * 1000).toISOString();

/** A status whose objects and labels were written at these seconds. */
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

describe("the version of a class", () => {
  /** The versions reported for the class, in order, when the lines of a watch arrive one by one. */
  async function told(...events: readonly (readonly ["upsert" | "delete", unknown])[]) {
    const versions: string[] = [];
    const handler = new PodStatusHandler({
      listBegins: () => undefined,
      page: async () => undefined,
      listed: async () => undefined,
      events: async (batch) => void versions.push(...batch.map(({ object }) => object.resourceVersion)),
    });
    for (const [type, written] of events) {
      const object = seenPodStatus(written);
      if (object !== undefined) await handler.events([{ type, object }]);
    }
    return versions;
  }

  const ahead = status("v2", "20", { objects: 200 });
  const behind = status("v1", "30", { objects: 100 });
  const emptied = { ...ahead, status: { secretProviderClassName: "vault", objects: [] } };

  test("is not that of a status which went, also when it showed nothing any more", async () => {
    expect(await told(["upsert", ahead], ["upsert", behind])).toEqual(["20", "20"]);
    expect(await told(["upsert", ahead], ["delete", ahead], ["upsert", behind])).toEqual(["20", "30"]);
    expect(await told(["upsert", ahead], ["delete", emptied], ["upsert", behind])).toEqual(["20", "30"]);
  });

  test("is not that of a status which shows nothing any more", async () => {
    expect(await told(["upsert", ahead], ["upsert", emptied], ["upsert", behind])).toEqual(["20", "30"]);
  });
});
