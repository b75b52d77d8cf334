import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { jsonList } from "@fleet-reloader/domain/json";
import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source/source";
import { patchBody } from "@fleet-reloader/domain/strategy/patch-body";
import type { NewObject } from "@fleet-reloader/domain/strategy/roll-write";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { Annotations, WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import {
  type Admit,
  type ClusterApi,
  type LiveSource,
  type LiveWorkload,
  type PatchedWorkload,
  podsMax,
} from "@fleet-reloader/engine/ports/cluster-api";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import type { ApiResource } from "../discovery/api-resources.ts";
import { type Answer, jsonCall, writePath } from "../http/call.ts";
import { pagesOf } from "../http/collection-calls.ts";
import type { Connection } from "../http/connection.ts";
import { stringMap, text } from "../json.ts";
import { accept, type Collection, resourcePath } from "../resource.ts";
import { helmReleaseType, labelledNamespace, liveSource, liveWorkload } from "./live-objects.ts";
import { absentOr, itemsOf } from "./object-answer.ts";
import { providerClassResource, readProviderClass } from "./provider-class.ts";
import { unlessAbsent } from "./secrets-store.ts";
import { WorkloadObjects } from "./workload-objects.ts";

const sourceResources = {
  ConfigMap: { group: "", version: "v1", plural: "configmaps" },
  Secret: { group: "", version: "v1", plural: "secrets" },
  SecretProviderClass: providerClassResource,
} as const satisfies Readonly<Record<SourceKind, object>>;

export function sourceResource(kind: SourceKind) {
  return sourceResources[kind];
}

/** The field selector that sources of a kind are listed and watched with; undefined means all. */
export function sourceFields(kind: SourceKind): string | undefined {
  return kind === "Secret" ? `type!=${helmReleaseType}` : undefined;
}

/** Reads and conditional writes of one cluster, over its own connection. */
export function createKubeClusterApi(
  cluster: ClusterId,
  connection: Connection,
  workloadKinds: readonly WorkloadKind[],
  sourceSelector?: string,
): ClusterApi {
  const objects = new WorkloadObjects(connection, workloadKinds);
  return {
    cluster,
    ...sourceReads(connection, sourceSelector),
    ...namespaceReads(connection),
    ...workloadCalls(connection, objects),
  };
}

type SourceReads = Pick<
  ClusterApi,
  "readSource" | "readSourceAnnotations" | "readSources" | "listSourceNames"
>;

function sourceReads(connection: Connection, sourceSelector: string | undefined): SourceReads {
  return {
    async readSource(ref, signal) {
      if (ref.kind === "SecretProviderClass") return await readProviderClass(ref, connection, signal);
      const path = resourcePath(sourceResource(ref.kind), ref.namespace, ref.name);
      const answer = await connection.call({ method: "GET", path }, signal);
      return absentOr(answer, ref, (object) => liveSource(ref, object));
    },
    async readSourceAnnotations(ref, signal) {
      return await annotationsNow(connection, sourceResource(ref.kind), ref, signal);
    },
    readSources: (kind, namespace, names, signal) =>
      readSources({ kind, namespace, names }, connection, signal),
    async listSourceNames(kind, namespace, signal) {
      const names = () => sourceNames({ kind, namespace, labelSelector: sourceSelector }, connection, signal);
      if (kind !== "SecretProviderClass") return await names();
      return await unlessAbsent(names, [], { connection, signal });
    },
  };
}

/** Bypasses every limit, and reads metadata only. */
async function annotationsNow(
  connection: Connection,
  resource: ApiResource,
  ref: SourceRef | WorkloadRef,
  signal: AbortSignal,
): Promise<Annotations> {
  const path = resourcePath(resource, ref.namespace, ref.name);
  const answer = await connection.ask({ method: "GET", path, accept: accept.metadata }, signal);
  return absentOr(answer, ref, (object) => stringMap(object, "metadata", "annotations")) ?? {};
}

function namespaceReads(connection: Connection): Pick<ClusterApi, "listPods" | "readNamespaceLabels"> {
  return {
    async listPods(namespace, labelSelector, signal) {
      const query = new URLSearchParams({ labelSelector, limit: String(podsMax) });
      const path = `${resourcePath({ group: "", version: "v1", plural: "pods" }, namespace)}?${query}`;
      const { body } = await connection.call({ method: "GET", path }, signal);
      return jsonList(body, "items");
    },
    async readNamespaceLabels(namespace, signal) {
      const path = resourcePath({ group: "", version: "v1", plural: "namespaces" }, undefined, namespace);
      return namespaceLabels(
        await connection.call({ method: "GET", path, accept: accept.metadata }, signal),
        namespace,
      );
    },
  };
}

function namespaceLabels({ status, body }: Answer, namespace: string): Labels | undefined {
  if (status === 404 && text(body, "kind") === "Status") return undefined;
  const read = labelledNamespace(body);
  if (read?.name !== namespace)
    throw new Fault("kube.malformed", `what was answered with ${status} is not the namespace ${namespace}`);
  return read.labels;
}

const deleteOptions = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Background" } as const;

type WorkloadCalls = Pick<
  ClusterApi,
  "readWorkload" | "readWorkloadAnnotations" | "patchWorkload" | "createWorkload" | "deleteExactly"
>;

function workloadCalls(connection: Connection, objects: WorkloadObjects): WorkloadCalls {
  return {
    readWorkload: (ref, signal) => objects.read(ref, signal),
    async readWorkloadAnnotations(ref, signal) {
      const resource = await objects.resource(ref, signal);
      return resource === undefined ? {} : await annotationsNow(connection, resource, ref, signal);
    },
    async patchWorkload(ref, { admit, ...patch }, signal): Promise<PatchedWorkload | undefined> {
      const kind = objects.kindOf(ref);
      const resource = await objects.resource(ref, signal);
      if (resource === undefined) return undefined;
      const path = writePath(resourcePath(resource, ref.namespace, ref.name));
      const contentType = `application/${kind.patch === "strategic" ? "strategic-merge-patch" : "merge-patch"}+json`;
      const body = JSON.stringify(patchBody(kind, patch));
      // Most writes record applied states; only the metadata of the answer is used.
      const accepted = patch.template === undefined ? accept.metadata : accept.json;
      const call = { method: "PATCH", path, accept: accepted, contentType, body, admit } as const;
      const answer = await connection.call(call, signal);
      return absentOr(answer, ref, (object) => liveWorkload(kind, object));
    },
    createWorkload: (made, signal, admit) => create({ connection, objects, admit }, made, signal),
    async deleteExactly(ref, exactly, signal, admit) {
      const resource = await objects.resource(ref, signal);
      if (resource === undefined) return;
      const path = resourcePath(resource, ref.namespace, ref.name);
      const call = jsonCall("DELETE", path, { ...deleteOptions, preconditions: exactly });
      const answer = await connection.call({ ...call, admit }, signal);
      if (answer.status === 404 && text(answer.body, "kind") !== "Status")
        throw new Fault("kube.malformed", "what was answered with 404 is not the API server's");
    },
  };
}

interface Creation {
  readonly admit: Admit | undefined;
  readonly connection: Connection;
  readonly objects: WorkloadObjects;
}

async function create(
  { connection, objects, admit }: Creation,
  { ref, object }: NewObject,
  signal: AbortSignal,
): Promise<LiveWorkload> {
  const resource = await objects.resource(ref, signal);
  const path = resource && writePath(resourcePath(resource, ref.namespace));
  if (path === undefined) throw new Fault("kube.rejected", `this API server has no ${ref.kind}`);
  try {
    const answer = await connection.call({ ...jsonCall("POST", path, object), admit }, signal);
    const made = absentOr(answer, ref, (answered) => liveWorkload(objects.kindOf(ref), answered));
    if (made === undefined)
      throw new Fault(
        "kube.rejected",
        `the namespace ${ref.namespace} is gone, no ${ref.kind} can be created in it`,
      );
    return made;
  } catch (error) {
    if (asFault(error).code !== "kube.exists") throw error;
    const there = await objects.read(ref, signal);
    // It was deleted between the two answers: the conflict makes the reconciler decide again.
    if (there === undefined) throw error;
    return there;
  }
}

/** A page of metadata has some hundred KiB, but only the names are kept. */
const namesInPage = 500;
/** Memory limit for the names of one list: a hostile cluster may send pages without end. */
const namesBytesMax = 16 * 1024 * 1024;
/** Each page counts as at least this much, so that pages without names end too. That allows 256 pages, or 128,000 names of usual length. */
const pageBytesMin = 64 * 1024;
/** The memory of a name besides its characters. */
const nameBytes = 32;

async function sourceNames(
  { kind, namespace, labelSelector }: Pick<Many, "kind" | "namespace"> & Pick<Collection, "labelSelector">,
  connection: Connection,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names: string[] = [];
  const path = resourcePath(sourceResource(kind), namespace);
  const query = { limit: String(namesInPage), fieldSelector: sourceFields(kind), labelSelector };
  let bytes = 0;
  for await (const page of pagesOf(connection, { path, query, accept: accept.metadataList }, signal)) {
    const fewestBytes = bytes + pageBytesMin;
    for (const item of itemsOf(page, kind)) {
      const name = text(item, "metadata", "name");
      names.push(name);
      bytes += nameBytes + name.length;
    }
    bytes = Math.max(fewestBytes, bytes);
    if (bytes > namesBytesMax) throw tooManyNames(kind, namespace, names.length);
  }
  return names;
}

function tooManyNames(kind: SourceKind, namespace: string, count: number): Fault {
  const said = `${count} ${kind}s were listed for the namespace ${namespace}, and there may be more`;
  return new Fault("kube.malformed", `${said}: so many names are not read`);
}

/** A page of large sources has some MiB, which are dropped after hashing. */
const sourcesInPage = 100;

async function readSources(
  { kind, namespace, names }: Many,
  connection: Connection,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, LiveSource>> {
  const found = new Map<string, LiveSource>();
  const path = resourcePath(sourceResource(kind), namespace);
  const pages = { path, query: { limit: String(sourcesInPage) }, accept: accept.json };
  for await (const page of pagesOf(connection, pages, signal))
    for (const item of itemsOf(page, kind)) {
      const name = text(item, "metadata", "name");
      if (names.has(name)) found.set(name, liveSource({ kind, namespace, name }, item));
    }
  return found;
}

interface Many {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly names: ReadonlySet<string>;
}
