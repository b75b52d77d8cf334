import { Fault } from "@fleet-reloader/domain/fault";
import { jsonList } from "@fleet-reloader/domain/json";
import type { SourceContent, SourceRef } from "@fleet-reloader/domain/source/source";
import type { LiveSource } from "@fleet-reloader/engine/ports/cluster-api";
import type { Connection } from "../http/connection.ts";
import { seconds, stringMap, text } from "../json.ts";
import { resourcePath } from "../resource.ts";
import { isRotated, newestOf, type PodStatus, podStatus, podStatusKind } from "./pod-status.ts";
import { unlessAbsent } from "./secrets-store.ts";

/** A class of the Secrets Store CSI driver. It names where secrets come from; the pod statuses name the versions that pods have. */
export const providerClassResource = {
  group: "secrets-store.csi.x-k8s.io",
  version: "v1",
  plural: "secretproviderclasses",
} as const;

/**
 * Reads a class with the content of its newest pod status. The answer is never "absent": statuses come and go with their pods, and a
 * cluster may have no driver. A class that cannot be seen now is neither created nor deleted.
 */
export async function readProviderClass(
  ref: SourceRef,
  connection: Connection,
  signal: AbortSignal,
): Promise<LiveSource> {
  const never = { createdAtSeconds: 0, writtenAtSeconds: 0, isModified: false, resourceVersion: "" };
  const nothing: LiveSource = { ref, annotations: {}, labels: {}, ...never, content: undefined };
  return await unlessAbsent(() => readThere(ref, connection, signal), nothing, { connection, signal });
}

async function readThere(ref: SourceRef, connection: Connection, signal: AbortSignal): Promise<LiveSource> {
  const [object, statuses] = await Promise.all([
    connection.call(
      { method: "GET", path: resourcePath(providerClassResource, ref.namespace, ref.name) },
      signal,
    ),
    readStatuses(ref, connection, signal),
  ]);
  const isAbsent = object.status === 404 && text(object.body, "kind") === "Status";
  if (!isAbsent && text(object.body, "metadata", "name") !== ref.name)
    throw new Fault(
      "kube.malformed",
      `what was answered with ${object.status} is not the object ${ref.namespace}/${ref.name}`,
    );
  const newest = newestOf(statuses);
  const createdAtSeconds = seconds(object.body, "metadata", "creationTimestamp");
  return {
    ref,
    annotations: stringMap(object.body, "metadata", "annotations"),
    labels: stringMap(object.body, "metadata", "labels"),
    createdAtSeconds,
    writtenAtSeconds: newest?.changedAtSeconds ?? createdAtSeconds,
    isModified: isRotated(statuses),
    resourceVersion: newest?.resourceVersion ?? "",
    content: newest && contentOf(newest),
    ...(newest === undefined ? {} : { asOfSeconds: newest.changedAtSeconds }),
  };
}

async function readStatuses(
  { namespace, name }: SourceRef,
  connection: Connection,
  signal: AbortSignal,
): Promise<readonly PodStatus[]> {
  const path = resourcePath(podStatusKind, namespace);
  const answer = await connection.call({ method: "GET", path }, signal);
  if (text(answer.body, "metadata", "resourceVersion") === "")
    throw new Fault("kube.malformed", `what was answered with ${answer.status} is no list of pod statuses`);
  return jsonList(answer.body, "items")
    .map(podStatus)
    .filter((status) => status !== undefined)
    .filter(({ source }) => source.name === name);
}

function contentOf({ objects }: PodStatus): SourceContent {
  const data = new Map(objects.map(([id, version]) => [id, Buffer.from(version)]));
  return { data, binaryData: new Map() };
}
