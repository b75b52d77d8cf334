import { describe, expect, test } from "vitest";
import { applyStrategicMerge } from "./strategic-merge.ts";

const pod = {
  containers: [
    { name: "a", image: "a:1", env: [{ name: "ONE", value: "1" }] },
    { name: "b", image: "b:1" },
  ],
};

describe("strategic merge", () => {
  test("leaves the target as it is", () => {
    const before = structuredClone(pod);
    applyStrategicMerge(pod, { containers: [{ name: "a", image: "a:2" }] });
    expect(pod).toEqual(before);
  });

  test("merges keyed lists item by item, new items first", () => {
    const { containers } = applyStrategicMerge(pod, {
      containers: [
        { name: "new", image: "n:1" },
        { name: "b", image: "b:2" },
      ],
    });
    expect(containers).toEqual([
      { name: "new", image: "n:1" },
      pod.containers[0],
      { name: "b", image: "b:2" },
    ]);
  });

  test("weaves named and other items together by the live order", () => {
    const list = (...names: readonly string[]) => names.map((name) => ({ name }));
    const patch = { "$setElementOrder/volumes": list("d", "b"), volumes: list("b") };
    expect(applyStrategicMerge({ volumes: list("a", "b", "c", "d") }, patch).volumes).toEqual(
      list("a", "c", "d", "b"),
    );
  });

  test("takes a value that is new as it comes, without nulls and directives", () => {
    const patch = {
      volumes: [
        { name: "v", emptyDir: {}, secret: null },
        { name: "w", $patch: "delete" },
      ],
    };
    expect(applyStrategicMerge({}, patch)).toEqual({ volumes: [{ name: "v", emptyDir: {} }] });
  });

  test("deletes items, keys and members of sets", () => {
    const target = { ...pod, finalizers: ["x/a", "x/b"], nodeSelector: { a: "1", b: "2" } };
    const patch = {
      containers: [{ name: "b", $patch: "delete" }],
      nodeSelector: { a: null },
      "$deleteFromPrimitiveList/finalizers": ["x/a"],
    };
    expect(applyStrategicMerge(target, patch)).toEqual({
      containers: [pod.containers[0]],
      nodeSelector: { b: "2" },
      finalizers: ["x/b"],
    });
  });

  test("keeps only the named keys with $retainKeys", () => {
    const target = { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } };
    const patch = { strategy: { $retainKeys: ["type"], type: "Recreate" } };
    expect(applyStrategicMerge(target, patch)).toEqual({ strategy: { type: "Recreate" } });
  });

  test("refuses items without their key and orders that contradict the items", () => {
    expect(() => applyStrategicMerge(pod, { containers: [{ image: "x" }] })).toThrow(/merge key: name/);
    const contradictory = {
      "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
      containers: [{ name: "a" }, { name: "b" }],
    };
    expect(() => applyStrategicMerge(pod, contradictory)).toThrow(/doesn't match/);
  });
});
