import { cronJob } from "@fleet-reloader/domain/kind/cron-job";
import { deployment as deploymentKind } from "@fleet-reloader/domain/kind/deployment";
import { describe, expect, test } from "vitest";
import { liveWorkload, sourceVersion } from "./metadata.ts";

const seconds = (time: string) => Date.parse(time) / 1000;
const created = "2026-01-01T00:00:00Z";

const owned = (time: string, spec: object, more: object = {}) => ({
  manager: "someone",
  operation: "Update",
  time,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": spec },
  ...more,
});

const deployment = (metadata: object = {}) => ({
  metadata: {
    namespace: "shop",
    name: "web",
    uid: "u-1",
    resourceVersion: "7",
    generation: 3,
    creationTimestamp: created,
    annotations: { own: "1" },
    ...metadata,
  },
  spec: { template: { metadata: { annotations: { applied: "2" } }, spec: { containers: [] } } },
});

describe("a workload", () => {
  test("is read with its annotations, those of its template and the template itself", () => {
    expect(liveWorkload(deploymentKind, deployment())).toEqual({
      ref: { kind: "Deployment", namespace: "shop", name: "web" },
      uid: "u-1",
      object: deployment(),
      resourceVersion: "7",
      generation: 3,
      annotations: { own: "1" },
      templateAnnotations: { applied: "2" },
      template: deployment().spec.template,
      createdAtSeconds: seconds(created),
      templateChangedAtSeconds: seconds(created),
      writtenAtSeconds: seconds(created),
      isPaused: false,
      isDeleting: false,
    });
  });

  test("its template changed when the last owner of a field of it wrote", () => {
    const managedFields = [
      owned("2026-01-02T00:00:00Z", { "f:template": { "f:metadata": {} } }),
      owned("2026-01-04T00:00:00Z", { "f:template": {} }),
      owned("2026-01-09T00:00:00Z", { "f:replicas": {} }),
      { manager: "kcm", time: "2026-01-10T00:00:00Z", subresource: "status", fieldsV1: { "f:status": {} } },
      { manager: "old", fieldsV1: { "f:spec": { "f:template": {} } } },
    ];
    const workload = liveWorkload(deploymentKind, deployment({ managedFields }));
    expect(workload?.templateChangedAtSeconds).toBe(seconds("2026-01-04T00:00:00Z"));
    expect(workload?.writtenAtSeconds).toBe(seconds("2026-01-10T00:00:00Z"));
  });

  test("has its template where its kind has it, and was changed there", () => {
    const template = { metadata: { annotations: { applied: "3" } }, spec: { containers: [] } };
    const managedFields = [
      owned("2026-01-02T00:00:00Z", { "f:jobTemplate": { "f:spec": { "f:template": {} } } }),
      owned("2026-01-04T00:00:00Z", { "f:jobTemplate": { "f:metadata": {} } }),
    ];
    const object = { ...deployment({ managedFields }), spec: { jobTemplate: { spec: { template } } } };
    const workload = liveWorkload(cronJob, object);
    expect(workload?.template).toBe(template);
    expect(workload?.templateAnnotations).toEqual({ applied: "3" });
    expect(workload?.templateChangedAtSeconds).toBe(seconds("2026-01-02T00:00:00Z"));
  });

  test("is on its way out once it has a deletion time", () => {
    expect(liveWorkload(deploymentKind, deployment({ deletionTimestamp: created }))?.isDeleting).toBe(true);
  });

  test("without a name or a namespace is none", () => {
    expect(liveWorkload(deploymentKind, deployment({ name: "" }))).toBeUndefined();
    expect(liveWorkload(deploymentKind, deployment({ namespace: undefined }))).toBeUndefined();
    expect(liveWorkload(deploymentKind, null)).toBeUndefined();
  });
});

describe("a source", () => {
  test("is its name and its version", () => {
    expect(
      sourceVersion("Secret", { metadata: { namespace: "shop", name: "db", resourceVersion: "9" } }),
    ).toEqual({
      ref: { kind: "Secret", namespace: "shop", name: "db" },
      resourceVersion: "9",
    });
  });

  test("without one of them is none", () => {
    expect(sourceVersion("Secret", { metadata: { namespace: "shop", name: "db" } })).toBeUndefined();
    expect(sourceVersion("Secret", { metadata: { name: "db", resourceVersion: "9" } })).toBeUndefined();
  });
});

test.each([
  ["until Monday", true],
  ["true", true],
  ["false", undefined],
  ["", undefined],
])("a source whose annotation says %j is frozen: %s", (text, isFrozen) => {
  const annotations = { "fleet-reloader.io/freeze": text };
  const object = { metadata: { namespace: "shop", name: "db", resourceVersion: "7", annotations } };
  expect(sourceVersion("Secret", object)?.isFrozen).toBe(isFrozen);
});
