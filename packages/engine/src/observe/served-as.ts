import type { Settings } from "../ports/settings.ts";
import { fingerprint } from "./fingerprint.ts";

/**
 * Names the settings that decide which workloads of a stream are served, and for which sources. After a change of these settings a
 * workload without an applied state may never have been seen: it is adopted as it is, as at a first start.
 */
export function servedAs(settings: Settings): string {
  const { autoReloadAll, dialect, sourceKinds, scope } = settings;
  const { ignoredNamespaces, namespaceSelector, sourceSelector } = scope;
  const deciding = [
    autoReloadAll,
    dialect,
    sourceKinds,
    ignoredNamespaces,
    namespaceSelector,
    sourceSelector,
  ];
  return fingerprint(JSON.stringify(deciding)).toString(36);
}
