import type { SourceKind } from "../source/source.ts";

/** The peer's name of each kind of source, and of the resource that it watches for it. For a class that is the resource that the driver writes. */
const compatNames = {
  ConfigMap: { kind: "CONFIGMAP", resource: "configmaps" },
  Secret: { kind: "SECRET", resource: "secrets" },
  SecretProviderClass: { kind: "SECRETPROVIDERCLASS", resource: "secretproviderclasspodstatuses" },
} as const satisfies Record<SourceKind, object>;

type PeerName<T extends "kind" | "resource"> = (typeof compatNames)[SourceKind][T];

/** The name of the kind in variable names and in the peer's payload. */
export function compatKindName(kind: SourceKind): PeerName<"kind"> {
  return compatNames[kind].kind;
}

/** The name of the resource in labels of metrics and in components of Events. */
export function compatResourceName(kind: SourceKind): PeerName<"resource"> {
  return compatNames[kind].resource;
}

/** The kind for a name in any capitalisation: version 1 writes `CONFIGMAP`, version 2 `ConfigMap`. */
export function parseCompatKindName(text: string): SourceKind | undefined {
  switch (text.toUpperCase()) {
    case compatNames.ConfigMap.kind:
      return "ConfigMap";
    case compatNames.Secret.kind:
      return "Secret";
    case compatNames.SecretProviderClass.kind:
      return "SecretProviderClass";
    default:
      return undefined;
  }
}
