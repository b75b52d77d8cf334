import { describe, expect, test } from "vitest";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { targetContainer } from "./target-container.ts";

const source = { kind: "ConfigMap", namespace: "ns", name: "cm" } as const;

const mounts = (...names: readonly string[]) => ({ volumeMounts: names.map((name) => ({ name })) });
const readsKey = { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "cm", key: "k" } } }] };
const readsAll = { envFrom: [{ configMapRef: { name: "cm" } }] };
const volume = { name: "v", configMap: { name: "cm" } };
const projected = {
  name: "v",
  projected: { sources: [{ secret: { name: "s" } }, { configMap: { name: "cm" } }] },
};

function target(spec: unknown, mode: "named" | "auto" | "search" = "auto") {
  return targetContainer(parsePodTemplate({ spec }), source, mode);
}

describe("the variable of a source goes to", () => {
  test.each([["a plain volume", volume] as const, ["a projected volume", projected] as const])(
    "the container that mounts it as %s, before one that reads it as a variable",
    (_, one) => {
      const containers = [
        { name: "a", ...readsKey },
        { name: "b", ...mounts("v") },
      ];
      expect(target({ containers, volumes: [one] })).toBe("b");
    },
  );

  test("the first container if only an init container mounts it", () => {
    const containers = [{ name: "a" }, { name: "b", ...readsKey }];
    expect(target({ containers, initContainers: [{ name: "i", ...mounts("v") }], volumes: [volume] })).toBe(
      "a",
    );
  });

  test.each([["a key", readsKey] as const, ["everything", readsAll] as const])(
    "the first container that has %s of it as a variable",
    (_, reads) => {
      expect(target({ containers: [{ name: "a" }, { name: "b", ...reads }, { name: "c", ...reads }] })).toBe(
        "b",
      );
    },
  );

  test("the first container if only an init container has it as a variable", () => {
    expect(
      target({ containers: [{ name: "a" }, { name: "b" }], initContainers: [{ name: "i", ...readsAll }] }),
    ).toBe("a");
  });

  test("the container with a variable when only its second volume is mounted", () => {
    const volumes = [volume, { name: "w", configMap: { name: "cm" } }];
    const containers = [{ name: "a" }, { name: "b", ...mounts("w") }, { name: "c", ...readsKey }];
    expect(target({ containers, volumes })).toBe("c");
  });

  test("the first container in named mode when nothing refers to it", () => {
    expect(target({ containers: [{ name: "a" }, { name: "b" }] }, "named")).toBe("a");
  });

  test.each(["auto", "search"] as const)(
    "the first container for what the peer does not see, in %s mode",
    (mode) => {
      const containers = [{ name: "a" }, { name: "b" }];
      expect(target({ containers, volumes: [volume] }, mode)).toBe("a");
      expect(target({ containers, ephemeralContainers: [{ name: "e", ...readsAll }] }, mode)).toBe("a");
      const second = [volume, { name: "w", configMap: { name: "cm" } }];
      expect(
        target({ containers: [{ name: "a" }, { name: "b", ...mounts("w") }], volumes: second }, mode),
      ).toBe("a");
    },
  );
});

describe("the variable of a source goes nowhere", () => {
  test.each(["auto", "search"] as const)("in %s mode when nothing refers to it", (mode) => {
    expect(target({ containers: [{ name: "a" }] }, mode)).toBeUndefined();
  });

  test("when a Secret of the same name is what is used", () => {
    const containers = [{ name: "a", envFrom: [{ secretRef: { name: "cm" } }] }];
    expect(target({ containers, volumes: [{ name: "v", secret: { secretName: "cm" } }] })).toBeUndefined();
  });

  test.each(["named", "auto", "search"] as const)("when there is no container, in %s mode", (mode) => {
    expect(
      target({ initContainers: [{ name: "i", ...mounts("v") }], volumes: [volume] }, mode),
    ).toBeUndefined();
    expect(target({ initContainers: [{ name: "i", ...readsAll }] }, mode)).toBeUndefined();
  });

  test("when the container that uses it has no name", () => {
    expect(target({ containers: [readsAll, { name: "b" }] })).toBeUndefined();
    expect(target({ containers: [{}] }, "named")).toBeUndefined();
  });
});
