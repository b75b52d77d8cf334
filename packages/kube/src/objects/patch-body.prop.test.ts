import { arbitraryTemplate } from "@fleet-reloader/domain/fixture/arbitrary-template";
import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import { applyEdit } from "@fleet-reloader/domain/strategy/apply-edit";
import type { TemplateEdit, VariableRef } from "@fleet-reloader/domain/strategy/edit";
import { patchBody } from "@fleet-reloader/domain/strategy/patch-body";
import { isJsonObject, type JsonObject, parseJson } from "@fleet-reloader/testkit/sim-api/objects/json";
import { applyJsonMerge } from "@fleet-reloader/testkit/sim-api/patch/json-merge";
import { applyStrategicMerge } from "@fleet-reloader/testkit/sim-api/patch/strategic-merge";
import fc from "fast-check";
import { expect, test } from "vitest";

const container = fc.constantFrom("main", "side");

const arbitraryEdit: fc.Arbitrary<TemplateEdit> = fc.record({
  annotations: fc.dictionary(fc.constantFrom("note", "mark"), fc.string({ maxLength: 3 })),
  // Container by container, as they stand in the template.
  env: fc
    .uniqueArray(
      fc.record({
        container,
        name: fc.constantFrom("X", "STAKATER_A", "STAKATER_B"),
        value: fc.string({ maxLength: 3 }),
      }),
      { selector: variableKey },
    )
    .map((env) =>
      env.toSorted((a, b) => (a.container < b.container ? -1 : Number(a.container > b.container))),
    ),
  removedEnv: fc.uniqueArray(fc.record({ container, name: fc.constantFrom("Y", "P", "X2") }), {
    selector: variableKey,
    maxLength: 3,
  }),
});

function variableKey(variable: VariableRef): string {
  return `${variable.container} ${variable.name}`;
}

/** The part of the edit that concerns existing containers. */
function withinTemplate(edit: TemplateEdit, template: unknown): TemplateEdit {
  const names = jsonList(template, "spec", "containers").map((one) => jsonField(one, "name"));
  const isThere = (variable: VariableRef) => names.includes(variable.container);
  const { env = [], removedEnv = [] } = edit;
  return { ...edit, env: env.filter(isThere), removedEnv: removedEnv.filter(isThere) };
}

const paths = fc.constantFrom(["spec", "template"], ["spec", "jobTemplate", "spec", "template"], ["spec"]);

/** The form in which it is sent and stored: without empty lists of variables. */
function wire(value: unknown): JsonObject {
  const isEmptyEnv = (key: string, item: unknown) =>
    key === "env" && Array.isArray(item) && item.length === 0;
  const json = parseJson(
    JSON.stringify(value, (key, item: unknown) => (isEmptyEnv(key, item) ? undefined : item)),
  );
  if (!isJsonObject(json)) throw new Error("no object");
  return json;
}

test.each([
  ["merge", applyJsonMerge],
  ["strategic", applyStrategicMerge],
] as const)(
  "a %s patch makes of a template exactly what its edit makes of it, wherever it is",
  (patch, apply) => {
    fc.assert(
      fc.property(arbitraryTemplate, arbitraryEdit, paths, (template, anyEdit, templatePath) => {
        const edit = withinTemplate(anyEdit, template);
        const nest = (inner: unknown): unknown =>
          templatePath.reduceRight<unknown>((value, field) => ({ [field]: value }), inner);
        const change = {
          resourceVersion: "7",
          annotations: { note: "n" },
          template: edit,
          templateBefore: wire(template),
        };
        const before = wire({
          metadata: { name: "web", annotations: { kept: "1" } },
          ...wire(nest(template)),
        });
        const after = apply(before, wire(patchBody({ patch, templatePath }, change)));
        const edited = wire(nest(applyEdit(wire(template), edit)));
        expect(wire(after).spec).toEqual(edited.spec);
        expect(after.metadata).toMatchObject({ name: "web", annotations: { kept: "1", note: "n" } });
      }),
    );
  },
);
