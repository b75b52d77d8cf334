import { Fault } from "@fleet-reloader/domain/fault";
import type { ReferencedKeys } from "@fleet-reloader/domain/reference/object-use";
import { type SourceContent, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { ClusterApi, LiveSource } from "../ports/cluster-api.ts";

/** A change that somebody asks about. */
export interface AskedChange {
  readonly source: SourceRef;
  /** The keys that change; missing keys are created. */
  readonly keys: ReferencedKeys;
  /** The API server's time of the change. */
  readonly atSeconds: number;
}

/** An API server as it would be after a change of one source. It refuses every write. */
export function changedSourceApi(api: ClusterApi, change: AskedChange): ClusterApi {
  const { source } = change;
  const isIt = (ref: SourceRef) => sourceKey(ref) === sourceKey(source);
  const isBeside = (kind: string, namespace: string) =>
    kind === source.kind && namespace === source.namespace;
  return {
    cluster: api.cluster,
    readWorkload: (ref, signal) => api.readWorkload(ref, signal),
    readSource: async (ref, signal) => {
      const live = await api.readSource(ref, signal);
      return isIt(ref) ? afterChange(live, change) : live;
    },
    readSourceAnnotations: (ref, signal) => api.readSourceAnnotations(ref, signal),
    readWorkloadAnnotations: (ref, signal) => api.readWorkloadAnnotations(ref, signal),
    readSources: async (kind, namespace, names, signal) => {
      const found = await api.readSources(kind, namespace, names, signal);
      if (!isBeside(kind, namespace) || !names.has(source.name)) return found;
      return new Map([...found, [source.name, afterChange(found.get(source.name), change)]]);
    },
    listSourceNames: async (kind, namespace, signal) => {
      const names = await api.listSourceNames(kind, namespace, signal);
      return isBeside(kind, namespace) && !names.includes(source.name) ? [...names, source.name] : names;
    },
    listPods: (namespace, selector, signal) => api.listPods(namespace, selector, signal),
    readNamespaceLabels: (namespace, signal) => api.readNamespaceLabels(namespace, signal),
    patchWorkload: refuseWrite,
    createWorkload: refuseWrite,
    deleteExactly: refuseWrite,
  };
}

async function refuseWrite(): Promise<never> {
  throw new Fault("engine.invariant", "a question wrote to a cluster");
}

/** Later than any existing version: versions are decimal integers of at most 20 digits (KEP-5504). */
const latestVersion = "9".repeat(20);

function afterChange(live: LiveSource | undefined, { source, keys, atSeconds }: AskedChange): LiveSource {
  if (live === undefined)
    return {
      ref: source,
      annotations: {},
      labels: {},
      createdAtSeconds: atSeconds,
      writtenAtSeconds: atSeconds,
      isModified: false,
      resourceVersion: latestVersion,
      content: changedContent({ data: new Map(), binaryData: new Map() }, keys),
    };
  // Its content is not visible, so the change would not be visible either.
  if (live.content === undefined) return live;
  const writtenAtSeconds = Math.max(live.writtenAtSeconds, atSeconds);
  const changed = {
    ...live,
    writtenAtSeconds,
    isModified: live.isModified || writtenAtSeconds > live.createdAtSeconds,
    resourceVersion: latestVersion,
    content: changedContent(live.content, keys),
  };
  return live.asOfSeconds === undefined ? changed : { ...changed, asOfSeconds: atSeconds };
}

/** Every changed value has one more byte, so it differs from what it was. */
function changedContent({ data, binaryData }: SourceContent, keys: ReferencedKeys): SourceContent {
  const all = [...data.keys(), ...binaryData.keys()];
  const named = keys === "all" ? (all.length === 0 ? ["changed"] : all) : keys;
  const isChanged = new Set(named);
  const longer = (bytes: Uint8Array | undefined) => new Uint8Array([...(bytes ?? []), 0]);
  const binary = [...binaryData].map(
    ([key, bytes]) => [key, isChanged.has(key) ? longer(bytes) : bytes] as const,
  );
  const texts = named
    .filter((key) => !binaryData.has(key))
    .map((key) => [key, longer(data.get(key))] as const);
  return { data: new Map([...data, ...texts]), binaryData: new Map(binary) };
}
