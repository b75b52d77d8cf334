import fc from "fast-check";
import { expect, test } from "vitest";
import { testKey } from "../fixture/test-keys.ts";
import { nameForRoll } from "./short-name.ts";

const dnsName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const workload = fc.stringMatching(dnsName, { size: "+1" }).filter((name) => name.length <= 253);
const parts = fc.array(fc.string({ maxLength: 5 }), { maxLength: 4 });
const infix = fc.constantFrom("", "-reload");

test("is a name that Kubernetes takes for an object and for the value of a label", () => {
  fc.assert(
    fc.property(workload, infix, parts, (name, between, of) => {
      const made = nameForRoll(name, between, of, testKey("k1"));
      expect(made).toMatch(dnsName);
      expect(made.length).toBeLessThanOrEqual(63);
    }),
  );
});

test("is the same for the same roll, and another for every other", () => {
  fc.assert(
    fc.property(workload, parts, parts, (name, one, other) => {
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      const made = (of: readonly string[]) => nameForRoll(name, "", of, testKey("k1"));
      expect(made(one) === made(other)).toBe(isSame);
    }),
  );
});

test("cannot be made by who does not have the key: it is made of digests of content", () => {
  expect(nameForRoll("web", "", ["a"], testKey("k1"))).not.toBe(nameForRoll("web", "", ["a"], testKey("k2")));
});
