import { Fault } from "@fleet-reloader/domain/fault";
import type { SourceKind, SourceRef } from "@fleet-reloader/domain/source";
import type { TemplateEdit } from "@fleet-reloader/domain/strategy/edit";
import type { WorkloadRef } from "@fleet-reloader/domain/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { ClusterApi, LiveSource, LiveWorkload, WorkloadPatch } from "@fleet-reloader/engine/cluster-api";
import type { ClusterId } from "@fleet-reloader/engine/request";
import type { Answer, Connection } from "./connection.ts";
import { list, seconds, stringMap, text } from "./json.ts";
import { labelledNamespace, liveWorkload } from "./metadata.ts";
import { providerClassResource, readProviderClass } from "./provider-class.ts";
import { accept, resourcePath } from "./resource.ts";
import { unlessAbsent } from "./secrets-store.ts";
import { sourceContent } from "./source-content.ts";

/** The peer writes under this name; keeping it keeps field ownership as it is (compat spec, 3.5 and 6.9). */
export const fieldManager = "Reloader";

const sourceResources = {
  ConfigMap: { group: "", version: "v1", plural: "configmaps" },
  Secret: { group: "", version: "v1", plural: "secrets" },
  SecretProviderClass: providerClassResource,
} as const satisfies Readonly<Record<SourceKind, object>>;

export function sourceResource(kind: SourceKind) {
  return sourceResources[kind];
}

/** Reads and conditional writes of one cluster, over its own connection. */
export function createKubeClusterApi(
  cluster: ClusterId,
  connection: Connection,
  workloadKinds: readonly WorkloadKind[],
  sourceSelector?: string,
): ClusterApi {
  const kindOf = (ref: WorkloadRef): WorkloadKind => {
    const kind = workloadKinds.find((known) => known.kind === ref.kind);
    if (kind === undefined)
      throw new Fault("request.invalid", `a request names the unknown workload kind ${ref.kind}`);
    return kind;
  };
  const workloadPath = (ref: WorkloadRef): string => resourcePath(kindOf(ref), ref.namespace, ref.name);
  return {
    cluster,
    async readWorkload(ref, signal) {
      const answer = await connection.call({ method: "GET", path: workloadPath(ref) }, signal);
      return absentOr(answer, ref, (object) => liveWorkload(ref.kind, object));
    },
    async readSource(ref, signal) {
      if (ref.kind === "SecretProviderClass") return await readProviderClass(ref, connection, signal);
      const path = resourcePath(sourceResource(ref.kind), ref.namespace, ref.name);
      const answer = await connection.call({ method: "GET", path }, signal);
      return absentOr(answer, ref, (object) => liveSource(ref, object));
    },
    async listSourceNames(kind, namespace, signal) {
      const names = async (): Promise<readonly string[]> => {
        const query =
          sourceSelector === undefined ? "" : `?${new URLSearchParams({ labelSelector: sourceSelector })}`;
        const path = `${resourcePath(sourceResource(kind), namespace)}${query}`;
        const answer = await connection.call({ method: "GET", path, accept: accept.metadataList }, signal);
        if (text(answer.body, "metadata", "resourceVersion") === "")
          throw new Fault("kube.malformed", `what was answered with ${answer.status} is no list of ${kind}s`);
        return list(answer.body, "items").map((item) => text(item, "metadata", "name"));
      };
      if (kind !== "SecretProviderClass") return await names();
      return await unlessAbsent(names, [], { connection, signal });
    },
    async readNamespaceLabels(namespace, signal) {
      const path = resourcePath({ group: "", version: "v1", plural: "namespaces" }, undefined, namespace);
      const answer = await connection.call({ method: "GET", path, accept: accept.metadata }, signal);
      if (answer.status === 404 && text(answer.body, "kind") === "Status") return undefined;
      const read = labelledNamespace(answer.body);
      if (read?.name !== namespace)
        throw new Fault(
          "kube.malformed",
          `what was answered with ${answer.status} is not the namespace ${namespace}`,
        );
      return read.labels;
    },
    async patchWorkload(ref, patch, signal): Promise<LiveWorkload | undefined> {
      const kind = kindOf(ref);
      const answer = await connection.call(
        {
          method: "PATCH",
          path: `${workloadPath(ref)}?fieldManager=${fieldManager}`,
          contentType: `application/${kind.patch === "strategic" ? "strategic-merge-patch" : "merge-patch"}+json`,
          body: JSON.stringify(patchBody(patch)),
        },
        signal,
      );
      return absentOr(answer, ref, (object) => liveWorkload(ref.kind, object));
    },
  };
}

/**
 * What an answer says of one object. JSON of somebody else's, say of a proxy, is neither an absence nor an empty object:
 * taken for a source without keys it would roll everything that uses it.
 */
function absentOr<T>(
  { status, body }: Answer,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  parse: (object: unknown) => T | undefined,
): T | undefined {
  if (status === 404 && text(body, "kind") === "Status") return undefined;
  const isIt = text(body, "metadata", "name") === name && text(body, "metadata", "namespace") === namespace;
  const parsed = isIt ? parse(body) : undefined;
  if (parsed === undefined)
    throw new Fault(
      "kube.malformed",
      `what was answered with ${status} is not the object ${namespace}/${name}`,
    );
  return parsed;
}

function liveSource(ref: SourceRef, object: unknown): LiveSource {
  return {
    ref,
    annotations: stringMap(object, "metadata", "annotations"),
    labels: stringMap(object, "metadata", "labels"),
    createdAtSeconds: seconds(object, "metadata", "creationTimestamp"),
    content: sourceContent(ref.kind, object),
  };
}

/** The resourceVersion inside the patch makes the write conditional: 409 when anything changed since we read. */
function patchBody(patch: WorkloadPatch) {
  const metadata = { resourceVersion: patch.resourceVersion, annotations: patch.annotations };
  const { template, isPaused } = patch;
  const spec = {
    ...(template === undefined ? {} : { template: templatePatch(template) }),
    ...(isPaused === undefined ? {} : { paused: isPaused }),
  };
  return Object.keys(spec).length === 0 ? { metadata } : { metadata, spec };
}

function templatePatch(edit: TemplateEdit) {
  // A strategic merge takes the order of the patch, so the order of the edit is kept.
  const variables = [
    ...(edit.env ?? []).map(({ container, name, value }) => ({ container, patch: { name, value } })),
    ...(edit.removedEnv ?? []).map(({ container, name }) => ({
      container,
      patch: { name, $patch: "delete" },
    })),
  ];
  const containers = [...Map.groupBy(variables, ({ container }) => container)].map(([name, inIt]) => ({
    name,
    env: inIt.map(({ patch }) => patch),
  }));
  return {
    ...(edit.annotations === undefined ? {} : { metadata: { annotations: edit.annotations } }),
    ...(containers.length === 0 ? {} : { spec: { containers } }),
  };
}
