import type { SourceKind } from "../source.ts";

const names = { ConfigMap: "CONFIGMAP", Secret: "SECRET" } as const satisfies Record<SourceKind, string>;

/** What the peer calls a kind of source, in variable names and in its payload. */
export function compatKindName(kind: SourceKind): "CONFIGMAP" | "SECRET" {
  return names[kind];
}

/** The kind behind a name in whatever capitals: version 1 writes `CONFIGMAP`, version 2 `ConfigMap`. */
export function parseCompatKindName(text: string): SourceKind | undefined {
  const name = text.toUpperCase();
  if (name === names.ConfigMap) return "ConfigMap";
  return name === names.Secret ? "Secret" : undefined;
}
