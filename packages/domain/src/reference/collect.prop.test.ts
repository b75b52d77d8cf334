import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryTemplate } from "../fixture/arbitrary-template.ts";
import { sourceKey } from "../source/source.ts";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { collectReferences } from "./collect.ts";

test("every source has one reference, with at least one use, in the order of its key", () => {
  fc.assert(
    fc.property(arbitraryTemplate, (template) => {
      const keys = collectReferences(parsePodTemplate(template), "ns").map(({ source }) => sourceKey(source));
      expect(keys).toEqual([...new Set(keys)].sort());
    }),
  );
});

test("a reference says of its uses neither too much nor too little", () => {
  fc.assert(
    fc.property(arbitraryTemplate, (template) => {
      for (const { uses, optional, keys } of collectReferences(parsePodTemplate(template), "ns")) {
        expect(uses.length).toBeGreaterThan(0);
        expect(optional).toBe(!uses.some((use) => !use.optional));
        const isWhole = uses.some((use) => use.keys === "all");
        expect(keys).toEqual(isWhole ? "all" : [...new Set(uses.flatMap((use) => use.keys))].sort());
      }
    }),
  );
});

test("the order of containers and volumes does not change what is referenced", () => {
  fc.assert(
    fc.property(arbitraryTemplate, (template) => {
      const { containers, volumes, ...spec } = template.spec;
      const reversed = {
        spec: { ...spec, containers: containers.toReversed(), volumes: volumes.toReversed() },
      };
      const summary = (value: unknown) =>
        collectReferences(parsePodTemplate(value), "ns").map(({ uses, ...rest }) => [rest, uses.length]);
      expect(summary(reversed)).toEqual(summary(template));
    }),
  );
});
