import type { Eligibility } from "@fleet-reloader/domain/workload/eligibility";
import { matchesSelector } from "@fleet-reloader/domain/workload/label-selector";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import { SingleFlight } from "../async/single-flight.ts";
import type { ClusterApi, LiveWorkload } from "../ports/cluster-api.ts";
import type { Scope, Settings } from "../ports/settings.ts";
import { fingerprint } from "./fingerprint.ts";

/** The rules of a kind; undefined when it is not served. */
export function servedKind(
  kind: string,
  settings: Pick<Settings, "workloadKinds">,
): WorkloadKind | undefined {
  return settings.workloadKinds.find((served) => served.kind === kind);
}

/** Whether a workload is served now, by the rules of its kind. */
export function eligibilityOf(
  workload: LiveWorkload,
  settings: Pick<Settings, "workloadKinds">,
): Eligibility {
  return servedKind(workload.ref.kind, settings)?.eligibility?.(workload.object) ?? "served";
}

/** Whether a namespace may be served by its name. Its labels may still exclude it. */
export function mayServe(scope: Scope, namespace: string): boolean {
  return scope.namespaces === undefined
    ? !scope.ignoredNamespaces.includes(namespace)
    : scope.namespaces.includes(namespace);
}

/** The scope in a cluster where only some namespaces are visible: those of them that are served. */
export function scopeIn(scope: Scope, namespaces: readonly string[] | undefined): Scope {
  if (namespaces === undefined) return scope;
  return { ...scope, namespaces: namespaces.filter((namespace) => mayServe(scope, namespace)) };
}

/** The selector in force; undefined when namespace labels do not matter. */
export function selectorOf({ namespaces, namespaceSelector }: Scope): Scope["namespaceSelector"] {
  return namespaces === undefined ? namespaceSelector : undefined;
}

/**
 * Checks whether a namespace is served now. A request may have waited while its namespace left the scope, and the worker may be another
 * process than the watcher. So the API server is asked when the decision is made, in one read that all requests of the namespace share.
 * Without a selector nothing is read.
 */
export function createNamespaceCheck(
  scope: Scope,
  lifetime: AbortSignal,
): (api: ClusterApi, namespace: string) => Promise<boolean> {
  const selector = selectorOf(scope);
  const shared = new SingleFlight<boolean>();
  return async (api, namespace) => {
    if (!mayServe(scope, namespace) || selector === undefined) return mayServe(scope, namespace);
    return await shared.read(`${api.cluster}/${namespace}`, async () => {
      const labels = await api.readNamespaceLabels(namespace, lifetime);
      return labels !== undefined && matchesSelector(selector, labels);
    });
  };
}

/**
 * Names the settings that decide which workloads of a stream are served, and for which sources. After a change of these settings, a
 * workload without an applied state may never have been seen: it is adopted as it is, as at a first start. A stream of one namespace says
 * nothing about the workloads of others.
 */
export function servedAs(settings: Settings, namespace: string | undefined): string {
  const { autoReloadAll, dialect, sourceKinds, scope } = settings;
  const { ignoredNamespaces, namespaceSelector, sourceSelector } = scope;
  const deciding = [
    autoReloadAll,
    dialect,
    sourceKinds,
    ignoredNamespaces,
    namespaceSelector,
    sourceSelector,
    ...(namespace === undefined ? [] : ["one namespace"]),
  ];
  return fingerprint(JSON.stringify(deciding)).toString(36);
}
