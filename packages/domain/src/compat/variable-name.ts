import type { SourceRef } from "../source/source.ts";
import { compatKindName } from "./kind-name.ts";

/**
 * The variable that the env-vars strategy sets for a source (compat 3.1): `my.app.config` becomes `STAKATER_MY_APP_CONFIG_CONFIGMAP`. Different
 * sources may share a variable: `a-b` and `a.b` do.
 */
export function compatVariableName(source: Pick<SourceRef, "kind" | "name">): string {
  const mangled = source.name
    .replace(/[a-z]+/g, (letters) => letters.toUpperCase())
    .replace(/[^A-Z0-9]+/g, "_")
    .replace(/^_/, "");
  return `STAKATER_${mangled}_${compatKindName(source.kind)}`;
}

/** Whether a variable is one that the peer or we set, for any kind of source the peer knows. */
export function isCompatVariableName(name: string): boolean {
  return /^STAKATER_[A-Z0-9_]*_(?:CONFIGMAP|SECRET|SECRETPROVIDERCLASS)$/.test(name);
}
