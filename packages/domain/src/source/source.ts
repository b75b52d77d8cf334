/**
 * The kind of a source. The content of a SecretProviderClass (Secrets Store CSI driver) is what its volumes show: the object itself says only
 * where that comes from.
 */
export type SourceKind = "ConfigMap" | "Secret" | "SecretProviderClass";

/** The kinds that every cluster has, and that are served by default. */
export const defaultSourceKinds = ["ConfigMap", "Secret"] as const satisfies readonly SourceKind[];

/** Identity of an object whose content matters to the pods that use it. Names only: safe to log and to enqueue. */
export interface SourceRef {
  readonly kind: SourceKind;
  readonly namespace: string;
  readonly name: string;
}

/**
 * The bytes of a source, as pods see them. They never leave the process that hashes them (I4).
 *
 * `data` holds a ConfigMap's text as UTF-8, a Secret's values decoded from base64, or the version of each object in the volumes of a
 * SecretProviderClass. `binaryData` holds a ConfigMap's binary values decoded, and is empty for the others. The two are kept apart only because
 * the compatible hash tells them apart; pods cannot.
 */
export interface SourceContent {
  readonly data: ReadonlyMap<string, Uint8Array>;
  readonly binaryData: ReadonlyMap<string, Uint8Array>;
}

/** The write that gave a source its content, as the API server recorded it. */
export interface SourceWrite {
  readonly resourceVersion: string;
  /** Undefined if the API server does not say. */
  readonly by?: SourceWriter;
}

/** The last writer of a source's content: a program (a field manager), never a person. */
export interface SourceWriter {
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  readonly atSeconds: number;
}

/**
 * Whether a source is a release of Helm. Helm chooses this name, and the watch leaves these Secrets out: they are often most of all Secrets, and
 * Helm rewrites and deletes those of earlier releases.
 */
export function isHelmRelease({ kind, name }: SourceRef): boolean {
  return kind === "Secret" && name.startsWith("sh.helm.release.v1.");
}

/** `ConfigMap/ns/name`. Different sources have different keys, since no part of one may contain a slash. */
export function sourceKey(ref: SourceRef): string {
  return `${ref.kind}/${ref.namespace}/${ref.name}`;
}
