/** What kind of object a source is. CSI objects join when their watch does. */
export type SourceKind = "ConfigMap" | "Secret";

/** Every source kind, for code that has to look at each. */
export const sourceKinds = ["ConfigMap", "Secret"] as const satisfies readonly SourceKind[];

/** Identity of an object whose content matters to the pods that use it. Names only: safe to log and to enqueue. */
export interface SourceRef {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The bytes of a source, as pods see them. Never leaves the process that hashes it (I4).
 *
 * `data` holds a ConfigMap's text as UTF-8, or a Secret's values decoded from base64; `binaryData` holds a
 * ConfigMap's binary values decoded, and is empty for a Secret. They are kept apart only because the compatible hash
 * tells them apart; pods cannot.
 */
export interface SourceContent {
  readonly data: ReadonlyMap<string, Uint8Array>;
  readonly binaryData: ReadonlyMap<string, Uint8Array>;
}

/** `ConfigMap/ns/name`. Different sources have different keys, since no part of one may contain a slash. */
export function sourceKey(ref: SourceRef): string {
  return `${ref.kind}/${ref.namespace}/${ref.name}`;
}
