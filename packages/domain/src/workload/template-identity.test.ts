import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryTemplate } from "../fixture/arbitrary-template.ts";
import { templateIdentity } from "./template-identity.ts";

const bare = { spec: { containers: [{ name: "c", image: "i" }] } };

describe("the identity of a pod template", () => {
  test.each([
    ["our mark", { ...bare, metadata: { annotations: { "fleet-reloader.io/mark": "m" } } }],
    [
      "the peer's annotation",
      { ...bare, metadata: { annotations: { "reloader.stakater.com/last-reloaded-from": "{}" } } },
    ],
    [
      "variables of the peer and of ours",
      {
        spec: {
          containers: [
            {
              name: "c",
              image: "i",
              env: ["CONFIGMAP", "SECRET", "SECRETPROVIDERCLASS"].map((kind) => ({
                name: `STAKATER_A_${kind}`,
                value: "h",
              })),
            },
          ],
        },
      },
    ],
    ["what is null", { ...bare, metadata: { creationTimestamp: null, annotations: null } }],
    ["what is empty where an edit would have been", { ...bare, metadata: { annotations: {} } }],
    ["the order of keys", { spec: { containers: [{ image: "i", name: "c" }] } }],
  ])("does not depend on %s", (_, template) => {
    expect(templateIdentity(template)).toBe(templateIdentity(bare));
  });

  const env = [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ];
  const withEnv = (variables: unknown) => ({ spec: { containers: [{ name: "c", env: variables }] } });

  test.each([
    ["another image", bare, { spec: { containers: [{ name: "c", image: "j" }] } }],
    [
      "another annotation",
      bare,
      { ...bare, metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } } },
    ],
    ["another variable", withEnv(env), withEnv([...env, { name: "STAKATER_HOME", value: "/" }])],
    ["another order of variables", withEnv(env), withEnv(env.toReversed())],
    ["another type of a value", withEnv([{ name: "A", value: "1" }]), withEnv([{ name: "A", value: 1 }])],
  ])("depends on %s", (_, a, b) => {
    expect(templateIdentity(a)).not.toBe(templateIdentity(b));
  });

  test("is compact JSON with sorted keys", () => {
    expect(templateIdentity({ b: [true, null, { d: 1, c: "x" }], a: 'quo"te' })).toBe(
      '{"a":"quo\\"te","b":[true,null,{"c":"x","d":1}]}',
    );
  });

  test("is there for anything the API server could send", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
        expect(typeof templateIdentity(value)).toBe("string");
        templateIdentity({ metadata: value, spec: { containers: other, initContainers: [other] } });
      }),
    );
  });

  test("is the same for a template and its copy with the keys the other way round", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, field]) => [key, reversed(field)]),
      );
    };
    fc.assert(
      fc.property(arbitraryTemplate, (template) => {
        expect(templateIdentity(reversed(template))).toBe(templateIdentity(template));
      }),
    );
  });
});
