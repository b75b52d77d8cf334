import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryTemplate } from "../fixture/arbitrary-template.ts";
import { testKey } from "../fixture/test-keys.ts";
import { isJsonObject, type JsonObject, jsonField } from "../json.ts";
import { combineMarks } from "../source/mark.ts";
import { applyEdit } from "../strategy/apply-edit.ts";
import type { NewObject } from "../strategy/roll-write.ts";
import type { PlannedRoll } from "../workload/workload-kind.ts";
import { job, readStash } from "./job.ts";

const texts = fc.dictionary(fc.constantFrom("a", "team", "constructor"), fc.string({ maxLength: 3 }));
const own = fc.record(
  { suspend: fc.boolean(), backoffLimit: fc.nat(9), completions: fc.nat(3) },
  { requiredKeys: [] },
);
const edit = { annotations: { mark: "m" }, env: [{ container: "main", name: "STAKATER_A", value: "m" }] };

function rollOf(object: JsonObject, observedAt = "1"): PlannedRoll {
  const keyed = testKey("k1");
  return {
    live: {
      ref: { kind: "Job", namespace: "ns", name: "migrate" },
      ...{ uid: "u1", annotations: {}, templateAnnotations: {}, template: undefined, object },
    },
    edit: { ...edit, annotations: { ...edit.annotations, observedAt } },
    mark: combineMarks([], keyed),
    applied: { before: "1", after: "2", isWritten: false, annotations: { note: "2", old: null } },
    ...{ nowMs: 0, keyed },
  };
}

function stashOf(roll: PlannedRoll): NewObject {
  const write = job.roll(roll);
  if (write.type !== "replace") throw new Error("a Job is replaced");
  return write.stash;
}

/** A new Job with the fields that the API server adds. */
function created({ ref, object }: NewObject): NewObject {
  const labels = { "controller-uid": "x", "batch.kubernetes.io/job-name": ref.name };
  const spec = objectOf(object.spec);
  const template = objectOf(spec.template);
  const metadata = objectOf(template.metadata);
  const labelled = {
    ...template,
    metadata: { ...metadata, labels: { ...objectOf(metadata.labels), ...labels } },
  };
  return {
    ref,
    object: { ...object, spec: { ...spec, selector: { matchLabels: labels }, template: labelled } },
  };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

const wire = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test("a stash that the API server changed still gives the whole Job, edit and note", () => {
  fc.assert(
    fc.property(arbitraryTemplate, texts, texts, own, (template, annotations, labels, fields) => {
      const metadata = { name: "migrate", uid: "u1", resourceVersion: "7", annotations, labels };
      const object = { metadata, spec: { ...fields, template }, status: { active: 1 } };
      const stashed = readStash(created(stashOf(rollOf(object))));
      expect(stashed).toMatchObject({
        replaced: { kind: "Job", namespace: "ns", name: "migrate" },
        replacedUid: "u1",
      });
      const made = stashed?.made.object;
      expect(wire(jsonField(made, "metadata"))).toEqual(
        wire({ name: "migrate", namespace: "ns", labels, annotations: { ...annotations, note: "2" } }),
      );
      const edited = applyEdit(template, rollOf(object).edit);
      expect(wire(jsonField(made, "spec"))).toEqual(wire({ suspend: false, ...fields, template: edited }));
      expect(made).not.toHaveProperty("status");
    }),
  );
});

test("the stash itself never runs, belongs to nobody and carries no label of the Job", () => {
  fc.assert(
    fc.property(texts, own, (labels, fields) => {
      const ownerReferences = [{ kind: "App", uid: "a" }];
      const stash = stashOf(
        rollOf({ metadata: { labels, ownerReferences }, spec: { ...fields, template: {} } }),
      );
      expect(jsonField(stash.object.spec, "suspend")).toBe(true);
      expect(Object.keys(objectOf(jsonField(stash.object.metadata, "labels")))).toEqual([
        "fleet-reloader.io/replaces",
      ]);
      expect(stash.object.metadata).not.toHaveProperty("ownerReferences");
      expect(job.eligibility?.(stash.object)).toBe("stash");
    }),
  );
});

// With OwnerReferencesPermissionEnforcement the API server would refuse the new Job after the old one was deleted.
test("the new Job keeps its owners, and does not block their deletion", () => {
  const owner = { apiVersion: "apps.io/v1", kind: "App", name: "a", uid: "u" };
  const ownerReferences = [
    { ...owner, blockOwnerDeletion: true },
    { ...owner, uid: "v", controller: false },
  ];
  const stash = created(stashOf(rollOf({ metadata: { ownerReferences }, spec: { template: {} } })));
  expect(jsonField(readStash(stash)?.made.object, "metadata", "ownerReferences")).toEqual([
    owner,
    { ...owner, uid: "v", controller: false },
  ]);
});

test("the same roll has the same stash at any time; a changed Job has another", () => {
  const object = { metadata: { annotations: { a: "1" } }, spec: { template: {} } };
  const { name } = stashOf(rollOf(object)).ref;
  expect(stashOf(rollOf({ ...object, status: { active: 2 } }, "2")).ref.name).toBe(name);
  for (const other of [
    { ...object, spec: { template: {}, parallelism: 2 } },
    { ...object, metadata: { annotations: { a: "1", "fleet-reloader.io/kept": "uid" } } },
    { ...object, metadata: { annotations: { a: "1" }, labels: { b: "2" } } },
  ])
    expect(stashOf(rollOf(other)).ref.name).not.toBe(name);
});

test.each(["{}", "no JSON", '{"spec":{},"metadata":[]}', ""])(
  "a stash that says %s is unreadable",
  (replacement) => {
    const annotations = {
      "fleet-reloader.io/replaces": "migrate",
      "fleet-reloader.io/replaces-uid": "u1",
      "fleet-reloader.io/replacement": replacement,
    };
    const ref = { kind: "Job", namespace: "ns", name: "migrate-reload-x" };
    expect(readStash({ ref, object: { metadata: { annotations }, spec: {} } })).toBeUndefined();
  },
);
