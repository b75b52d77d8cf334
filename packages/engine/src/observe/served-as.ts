import type { Settings } from "../ports/settings.ts";
import { fingerprint } from "./fingerprint.ts";

/**
 * Names the settings that decide which workloads of a stream are served, and for which sources. After a change of these settings a
 * workload without an applied state may never have been seen: it is adopted as it is, as at a first start. A stream of one namespace says
 * nothing of the workloads of others.
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
