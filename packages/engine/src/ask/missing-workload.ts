import { likelyName } from "@fleet-reloader/domain/likely-name";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { Settings } from "../ports/settings.ts";
import type { AskedCluster } from "./plan-source.ts";

/** Why a workload that somebody asked about is not there, in a sentence without an end: what there is instead. */
export async function missingWorkload(
  { kind, namespace, name }: WorkloadRef,
  { api, lists, name: cluster }: AskedCluster,
  { settings, signal }: { readonly settings: Pick<Settings, "workloadKinds">; readonly signal: AbortSignal },
): Promise<string> {
  // Where it may not be read it is taken to be there.
  const labels = await api.readNamespaceLabels(namespace, signal).catch(() => ({}));
  if (labels === undefined) return `there is no namespace ${namespace} in cluster ${cluster}`;
  const none = `there is none in namespace ${namespace} of cluster ${cluster}`;
  const named = new Map<string, readonly string[]>();
  for (const each of settings.workloadKinds) {
    const live = await lists.listWorkloads(each.kind, namespace, signal).catch(() => []);
    named.set(
      each.kind,
      live.map(({ ref }) => ref.name),
    );
  }
  const other = [...named].find(([, names]) => names.includes(name));
  if (other !== undefined) return `${none}; there is ${other[0]}/${name}`;
  const nearest = likelyName(name, named.get(kind) ?? []);
  return nearest === undefined ? none : `${none}; did you mean ${kind}/${nearest}?`;
}
