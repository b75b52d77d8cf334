import { describe, expect, test } from "vitest";
import { parsePodTemplate } from "../workload/pod-template.ts";
import { applyEdit, hasEdit } from "./apply-edit.ts";

const literal = (name: string, value = "0") => ({ name, value });

describe("an applied edit", () => {
  const template = {
    metadata: { labels: { app: "a" }, annotations: { note: "kept" } },
    spec: { containers: [{ name: "a", image: "i", env: [literal("X")] }, { name: "b" }], volumes: [] },
  };

  test("sets annotations and leaves the others, and the template it was given, alone", () => {
    const before = structuredClone(template);
    expect(applyEdit(template, { annotations: { mark: "m" } })).toEqual({
      ...template,
      metadata: { labels: { app: "a" }, annotations: { note: "kept", mark: "m" } },
    });
    expect(template).toEqual(before);
  });

  test("sets a variable of the container it names", () => {
    const env = [{ container: "b", name: "M", value: "m" }];
    expect(applyEdit(template, { env })).toEqual({
      ...template,
      spec: {
        ...template.spec,
        containers: [template.spec.containers[0], { name: "b", env: [literal("M", "m")] }],
      },
    });
  });

  test("takes the place of what was there", () => {
    expect(applyEdit(template, { annotations: { note: "new" } })).toMatchObject({
      metadata: { annotations: { note: "new" } },
    });
    const env = [{ container: "a", name: "X", value: "1" }];
    expect(applyEdit(template, { env })).toMatchObject({
      spec: { containers: [{ env: [literal("X", "1")] }, { name: "b" }] },
    });
  });

  test("of nothing changes nothing", () => {
    expect(applyEdit(template, {})).toEqual(template);
    expect(applyEdit(template, { annotations: {}, env: [] })).toEqual(template);
  });

  test("makes the places that are missing", () => {
    expect(applyEdit(undefined, { annotations: { mark: "m" } })).toEqual({
      metadata: { annotations: { mark: "m" } },
    });
  });

  test.each(["__proto__", "constructor"])("sets a property of its own even for %s", (key) => {
    const applied = applyEdit(template, { annotations: Object.fromEntries([[key, "m"]]) });
    expect(hasEdit(applied, { annotations: Object.fromEntries([[key, "m"]]) })).toBe(true);
    expect(hasEdit(template, { annotations: Object.fromEntries([[key, "m"]]) })).toBe(false);
    expect(Object.hasOwn(Object.prototype, "m")).toBe(false);
  });
});

// What `mergeSortedSlice` of apimachinery does, row by row.
describe("the variables after a strategic merge are", () => {
  test.each([
    ["new ones first", ["A", "B"], ["N"], ["N", "A", "B"]],
    ["existing ones where they were", ["A", "B", "C"], ["B"], ["A", "B", "C"]],
    ["in the patch's order where it names them", ["A", "B", "C"], ["C", "A"], ["B", "C", "A"]],
    ["a new one as early as the one before it allows", ["A", "B", "C"], ["B", "N"], ["A", "B", "N", "C"]],
    ["a new one before the one that holds it up", ["A", "B", "C"], ["N", "B"], ["N", "A", "B", "C"]],
  ])("%s", (_, live, patch, expected) => {
    const template = { spec: { containers: [{ name: "c", env: live.map((name) => literal(name)) }] } };
    const env = patch.map((name) => ({ container: "c", name, value: "0" }));
    const applied = applyEdit(template, { env });
    expect(applied).toEqual({
      spec: { containers: [{ name: "c", env: expected.map((name) => literal(name)) }] },
    });
  });
});

describe("a variable that goes", () => {
  const template = {
    spec: {
      containers: [
        { name: "c", env: [literal("X", "1"), literal("Y")] },
        { name: "d", env: [literal("X")] },
      ],
    },
  };
  const removed = (...names: readonly string[]) => ({
    removedEnv: names.map((name) => ({ container: "c", name })),
  });

  test("is gone from its container, and from no other", () => {
    expect(applyEdit(template, removed("X"))).toEqual({
      spec: {
        containers: [
          { name: "c", env: [literal("Y")] },
          { name: "d", env: [literal("X")] },
        ],
      },
    });
  });

  test("leaves no empty list, as the API server keeps none", () => {
    expect(applyEdit(template, removed("X", "Y"))).toEqual({
      spec: { containers: [{ name: "c" }, { name: "d", env: [literal("X")] }] },
    });
  });

  test("was never there: nothing changes", () => {
    expect(applyEdit(template, removed("Z"))).toEqual(template);
    expect(hasEdit(template, removed("Z"))).toBe(true);
    expect(hasEdit(template, removed("X"))).toBe(false);
    expect(hasEdit(applyEdit(template, removed("X")), removed("X"))).toBe(true);
  });

  test("goes while another comes, in one edit", () => {
    const edit = { ...removed("X"), env: [{ container: "c", name: "N", value: "0" }] };
    const applied = applyEdit(template, edit);
    expect(hasEdit(applied, edit)).toBe(true);
    expect(variablesOf(applied)).toEqual(["N", "Y"]);
  });
});

function variablesOf(template: unknown): readonly string[] {
  return (parsePodTemplate(template).spec.containers[0]?.env ?? []).map(({ name }) => name).sort();
}

describe("a template carries an edit", () => {
  const template = {
    metadata: { annotations: { mark: "m" } },
    spec: { containers: [{ name: "c", env: [literal("X", "1"), { name: "Y", valueFrom: {} }] }] },
  };

  test("when it has every value of it", () => {
    expect(hasEdit(template, {})).toBe(true);
    expect(hasEdit(template, { annotations: { mark: "m" } })).toBe(true);
    expect(hasEdit(template, { env: [{ container: "c", name: "X", value: "1" }] })).toBe(true);
  });

  test.each([
    ["another annotation value", { annotations: { mark: "n" } }],
    ["an annotation that is missing", { annotations: { mark: "m", more: "m" } }],
    ["another variable value", { env: [{ container: "c", name: "X", value: "2" }] }],
    ["a variable that comes from elsewhere", { env: [{ container: "c", name: "Y", value: "" }] }],
    ["a variable that is missing", { env: [{ container: "c", name: "Z", value: "1" }] }],
    ["a variable of another container", { env: [{ container: "d", name: "X", value: "1" }] }],
  ])("but not with %s", (_, edit) => {
    expect(hasEdit(template, edit)).toBe(false);
  });

  test.each([undefined, null, 7, [], { metadata: 1, spec: [] }])("and %j carries none", (value) => {
    expect(hasEdit(value, { annotations: { mark: "m" } })).toBe(false);
    expect(hasEdit(value, { env: [{ container: "c", name: "X", value: "1" }] })).toBe(false);
  });
});
