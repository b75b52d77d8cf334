import { cronJob } from "@fleet-reloader/domain/kind/cron-job";
import { deployment as deploymentKind } from "@fleet-reloader/domain/kind/pod-controller";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import { describe, expect, test } from "vitest";
import { liveSource, liveWorkload, sourceVersion } from "./live-objects.ts";

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

function contentOf(kind: SourceKind, object: unknown) {
  const { content } = liveSource({ kind, namespace: "shop", name: "db" }, object);
  if (content === undefined) throw new Error("it has no content");
  return content;
}

const readable = (values: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...values].map(([key, value]) => [key, Buffer.from(value).toString("utf8")]));

test("a ConfigMap is read as text and as binary data", () => {
  const content = contentOf("ConfigMap", { data: { size: "größe" }, binaryData: { blob: "AAH/" } });
  expect(readable(content.data)).toEqual({ size: "größe" });
  expect([...(content.binaryData.get("blob") ?? [])]).toEqual([0, 1, 255]);
});

test("a Secret is decoded as a pod would see it", () => {
  const content = contentOf("Secret", { data: { password: "aHVudGVyMg==" }, binaryData: { no: "AA==" } });
  expect(readable(content.data)).toEqual({ password: "hunter2" });
  expect(content.binaryData.size).toBe(0);
});

test("no data, null and empty data are the same", () => {
  for (const object of [{}, { data: null, binaryData: null }, { data: {}, binaryData: {} }, undefined]) {
    const content = contentOf("ConfigMap", object);
    expect([content.data.size, content.binaryData.size]).toEqual([0, 0]);
  }
});

test("a key called __proto__ is just a key", () => {
  const content = contentOf("ConfigMap", JSON.parse('{"data":{"__proto__":"value"}}'));
  expect([...content.data.keys()]).toEqual(["__proto__"]);
});

const writeOf = (object: unknown) =>
  liveSource({ kind: "Secret", namespace: "shop", name: "db" }, object).write;
const entry = (manager: string, time: string, fields: object) => ({
  ...{ manager, time, operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" },
  fieldsV1: fields,
});
const at = (minute: string) => `2026-07-01T12:${minute}:00Z`;
const write = (...managedFields: readonly object[]) =>
  writeOf({ metadata: { resourceVersion: "7", managedFields } });

test("who wrote content last is the actor, not who wrote a label after it", () => {
  const by = write(
    entry("kubectl-create", at("00"), { "f:data": { ".": {}, "f:a": {} } }),
    entry("external-secrets", at("01"), { "f:data": { "f:b": {} } }),
    entry("kubectl-label", at("02"), { "f:metadata": { "f:labels": {} } }),
  )?.by;
  expect(by).toEqual({
    manager: "external-secrets",
    operation: "Update",
    atSeconds: Date.parse(at("01")) / 1000,
  });
});

test("binary content counts, and of two in the same second the later entry", () => {
  const binary = entry("argocd-controller", at("01"), { "f:binaryData": { "f:a": {} } });
  expect(write(entry("helm", at("01"), { "f:data": {} }), binary)?.by?.manager).toBe("argocd-controller");
});

test("nobody is guessed", () => {
  expect(write(entry("kubectl-label", at("02"), { "f:metadata": {} }))).toEqual({ resourceVersion: "7" });
  expect(writeOf({ metadata: { resourceVersion: "8" } })).toEqual({ resourceVersion: "8" });
});
