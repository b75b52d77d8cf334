import { configMap, deployment } from "../world/objects.ts";
import type { FleetShape } from "./methods.ts";

/** Objects are spread over so many namespaces. */
const namespaces = 10;
const createdAt = "2026-01-01T00:00:00Z";

export type FleetResource = "configmaps" | "secrets" | "deployments";

/** How many objects of a resource a cluster of this shape has; of a resource that is not named here there are none. */
export function countOf(resource: string, shape: FleetShape): number {
  if (resource === "configmaps") return shape.used + shape.configMaps;
  if (resource === "secrets") return shape.secrets;
  return resource === "deployments" ? shape.used + shape.bystanders : 0;
}

const prefixes = { configmaps: "settings", secrets: "credentials", deployments: "app" } as const;

export function nameOf(resource: FleetResource, at: number): string {
  return `${prefixes[resource]}-${String(at).padStart(6, "0")}`;
}

/** The position of an object, from its name; NaN for what is not there. */
export function positionOf(name: string): number {
  return Number(/-(\d{6})$/.exec(name)?.[1]);
}

function namespaceOf(at: number): string {
  return `team-${at % namespaces}`;
}

function metadataOf(resource: FleetResource, at: number, version: number): object {
  const uid = `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`;
  const fieldsV1 = { "f:data": { ".": {}, "f:value": {}, "f:rest": {} } };
  return {
    name: nameOf(resource, at),
    namespace: namespaceOf(at),
    ...{ uid, resourceVersion: String(version), creationTimestamp: createdAt },
    labels: { "app.kubernetes.io/part-of": "bench", "app.kubernetes.io/managed-by": "Helm" },
    annotations: { "meta.helm.sh/release-name": "bench", "meta.helm.sh/release-namespace": namespaceOf(at) },
    managedFields: [
      {
        manager: "helm",
        operation: "Update",
        apiVersion: "v1",
        time: createdAt,
        fieldsType: "FieldsV1",
        fieldsV1,
      },
    ],
  };
}

/** What a metadata-only list or watch shows. */
export function sourceMetadata(resource: "configmaps" | "secrets", at: number, version: number): object {
  const head = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1" };
  return { ...head, metadata: metadataOf(resource, at, version) };
}

/** A whole ConfigMap or Secret; its content follows from its version. */
export function source(resource: "configmaps" | "secrets", at: number, version: number): object {
  const metadata = metadataOf(resource, at, version);
  if (resource === "configmaps")
    return {
      ...configMap("", 1024),
      metadata,
      data: { value: `version ${version}`, rest: "x".repeat(1024) },
    };
  const value = Buffer.from(`version ${version}`).toString("base64");
  return { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data: { value } };
}

/** What was written to a Deployment. */
export interface Written {
  readonly version: number;
  readonly generation: number;
  readonly annotations: Readonly<Record<string, string>>;
  readonly templateAnnotations: Readonly<Record<string, string>>;
}

export const unwritten: Written = { version: 1, generation: 1, annotations: {}, templateAnnotations: {} };

export function deploymentObject(at: number, shape: FleetShape, written: Written): object {
  const name = nameOf("deployments", at);
  const isUsed = at < shape.used;
  const made = deployment({ name, configMaps: [nameOf("configmaps", isUsed ? at : 0)], annotations: {} });
  const optIn = isUsed ? { "reloader.stakater.com/auto": "true" } : {};
  const { version, generation, annotations, templateAnnotations } = written;
  const spec = Reflect.get(made, "spec");
  const metadata = { ...metadataOf("deployments", at, version), generation };
  return {
    ...made,
    metadata: { ...metadata, annotations: { ...optIn, ...annotations } },
    spec: { ...spec, template: withAnnotations(spec.template, templateAnnotations) },
    status: {
      observedGeneration: generation,
      replicas: 3,
      readyReplicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
    },
  };
}

function withAnnotations(
  template: { readonly metadata: { readonly annotations: object } },
  annotations: Written["templateAnnotations"],
): object {
  const { metadata } = template;
  return { ...template, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}
