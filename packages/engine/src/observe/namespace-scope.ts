import { matchesSelector } from "@fleet-reloader/domain/workload/label-selector";
import { SingleFlight } from "../async/single-flight.ts";
import type { ClusterApi } from "../ports/cluster-api.ts";
import type { Scope } from "../ports/settings.ts";

/** Whether a namespace may be served by its name. Its labels may still exclude it. */
export function mayServe(scope: Scope, namespace: string): boolean {
  return scope.namespaces === undefined
    ? !scope.ignoredNamespaces.includes(namespace)
    : scope.namespaces.includes(namespace);
}

/** The scope in a cluster where we see only some namespaces: those of them that are served. */
export function scopeIn(scope: Scope, namespaces: readonly string[] | undefined): Scope {
  if (namespaces === undefined) return scope;
  return { ...scope, namespaces: namespaces.filter((namespace) => mayServe(scope, namespace)) };
}

/** The selector in force; undefined when labels of namespaces do not matter. */
export function selectorOf({ namespaces, namespaceSelector }: Scope): Scope["namespaceSelector"] {
  return namespaces === undefined ? namespaceSelector : undefined;
}

/**
 * Asks whether a namespace is served now. A request may have waited while its namespace left the scope, and the worker is another
 * process than the watcher. Therefore the API server is asked at the moment of the decision, in one read that all requests of the
 * namespace share. Without a selector nothing is read.
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
