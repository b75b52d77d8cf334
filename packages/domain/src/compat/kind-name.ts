import type { SourceKind } from "../source/source.ts";

const names = {
  ConfigMap: "CONFIGMAP",
  Secret: "SECRET",
  SecretProviderClass: "SECRETPROVIDERCLASS",
} as const satisfies Record<SourceKind, string>;

/** What the peer calls a kind of source, in variable names and in its payload. */
export function compatKindName(kind: SourceKind): (typeof names)[SourceKind] {
  return names[kind];
}

const resourceNames = {
  ConfigMap: "configmaps",
  Secret: "secrets",
  // It watches what the driver writes, and not the class.
  SecretProviderClass: "secretproviderclasspodstatuses",
} as const satisfies Record<SourceKind, string>;

/** What the peer calls the resource that it watches for a kind of source, in labels of metrics and in components of Events. */
export function compatResourceName(kind: SourceKind): (typeof resourceNames)[SourceKind] {
  return resourceNames[kind];
}

/** The kind behind a name in whatever capitals: version 1 writes `CONFIGMAP`, version 2 `ConfigMap`. */
export function parseCompatKindName(text: string): SourceKind | undefined {
  switch (text.toUpperCase()) {
    case names.ConfigMap:
      return "ConfigMap";
    case names.Secret:
      return "Secret";
    case names.SecretProviderClass:
      return "SecretProviderClass";
    default:
      return undefined;
  }
}
