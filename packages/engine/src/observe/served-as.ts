import type { Settings } from "../ports/settings.ts";
import { fingerprint } from "./fingerprint.ts";

/**
 * Names the settings that decide which workloads of a stream are served, and for which sources. With others, what has no note was perhaps never
 * seen: it is adopted as it is, as at a first start.
 */
export function servedAs(settings: Settings): string {
  const { autoReloadAll, dialect, sourceKinds, scope } = settings;
  const { ignoredNamespaces, namespaceSelector, sourceSelector } = scope;
  const said = [autoReloadAll, dialect, sourceKinds, ignoredNamespaces, namespaceSelector, sourceSelector];
  return fingerprint(JSON.stringify(said)).toString(36);
}
