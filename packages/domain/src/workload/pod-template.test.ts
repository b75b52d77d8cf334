import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { catalystApi } from "../fixture/catalyst-api.ts";
import { parsePodTemplate } from "./pod-template.ts";

const empty = {
  metadata: { annotations: {} },
  spec: { containers: [], initContainers: [], ephemeralContainers: [], volumes: [] },
};

describe("a pod template", () => {
  test.each([
    undefined,
    null,
    7,
    "text",
    [],
    {},
    { spec: null },
    { metadata: { annotations: [] }, spec: [] },
  ])("reads %j as nothing", (value) => {
    expect(parsePodTemplate(value)).toEqual(empty);
  });

  test("is read whatever it holds", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, containers) => {
        parsePodTemplate({ metadata: spec, spec });
        parsePodTemplate({ spec: { containers, volumes: containers } });
        parsePodTemplate({ spec: { containers: [containers], volumes: [containers] } });
      }),
    );
  });

  test("loses only the parts of the wrong type", () => {
    const template = parsePodTemplate({
      metadata: { annotations: { good: "yes", bad: 1 } },
      spec: {
        containers: [
          "nonsense",
          {
            name: "app",
            env: [
              { name: "A", value: 1 },
              { name: "B", value: "" },
              { name: "C", valueFrom: { secretKeyRef: { name: "s" } } },
              { name: "D", valueFrom: { configMapKeyRef: { name: "", key: "k" } } },
              { name: "E", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
              { value: "nameless" },
            ],
            envFrom: [{ configMapRef: { name: 5 } }, { secretRef: { name: "s", optional: "true" } }],
            volumeMounts: [{ mountPath: "/x" }, { name: "v" }],
          },
        ],
        volumes: [
          { name: "v", configMap: { name: "c", items: [{ key: "k" }, { path: "p" }, null] } },
          { name: "w", projected: { sources: [{ secret: { name: "s" } }, { serviceAccountToken: {} }] } },
          { name: "x", csi: { driver: "any", volumeAttributes: { secretProviderClass: "spc" } } },
          { name: "y", secret: { name: "the field is called secretName" } },
        ],
      },
    });
    expect(template.metadata.annotations).toEqual({ good: "yes" });
    expect(template.spec.containers).toEqual([
      {
        name: "app",
        env: [
          { name: "A" },
          { name: "B", value: "" },
          { name: "C", valueFrom: {} },
          { name: "D", valueFrom: {} },
          { name: "E", valueFrom: {} },
        ],
        envFrom: [{}, { secretRef: { name: "s", optional: false } }],
        volumeMounts: [{ name: "v" }],
      },
    ]);
    expect(template.spec.volumes).toEqual([
      { name: "v", configMap: { name: "c", optional: false, items: ["k"] } },
      { name: "w", projected: { sources: [{ secret: { name: "s", optional: false, items: [] } }, {}] } },
      { name: "x", csi: { secretProviderClass: "spc" } },
      { name: "y" },
    ]);
  });

  // Knative itself names a container that has no name. Its manifest, or that of another kind, has none.
  test("has containers without a name too", () => {
    const containers = [{ envFrom: [{ configMapRef: { name: "c" } }] }];
    expect(parsePodTemplate({ spec: { containers } }).spec.containers).toEqual([
      { name: "", env: [], envFrom: [{ configMapRef: { name: "c", optional: false } }], volumeMounts: [] },
    ]);
  });

  test("of a real Deployment is read in full", () => {
    const { spec } = parsePodTemplate(catalystApi.spec.template);
    expect(spec.containers.map(({ name, env }) => [name, env.length])).toEqual([["catalyst-api", 27]]);
    expect(spec.volumes.at(-1)).toEqual({
      name: "handover-jwt-public",
      secret: { name: "catalyst-handover-jwt-public", optional: true, items: ["public.jwk"] },
    });
  });
});
