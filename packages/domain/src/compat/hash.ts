import { compareBytes, concatBytes, utf8 } from "../bytes.ts";
import type { SourceContent, SourceKind, SourceRef } from "../source/source.ts";
import { base64 } from "./base64.ts";

/** What the peer hashes instead of a content when a source is deleted, under its annotations strategy. */
export const compatDeletedMarker = "__RELOADER_EMPTY_DELETE_MARKER__";

/**
 * The peer's hash of a content (compat 3.2): SHA-1 over `key=value` items, sorted bytewise as whole items and joined
 * with `;`. Binary values of a ConfigMap count as their base64 text. `sha1` returns lower-case hexadecimal.
 *
 * Only for comparing with what the peer left behind: it is unkeyed, so it is never written for a Secret (I4), and it is
 * ambiguous (`{a: "1;b=2"}` has the hash of `{a: "1", b: "2"}`), so it never stands for a content on its own.
 */
export function compatHash(
  kind: SourceKind,
  content: SourceContent,
  sha1: (bytes: Uint8Array) => string,
): string {
  const binary = kind === "ConfigMap" ? [...content.binaryData].map(encoded) : [];
  const items = [...content.data, ...binary]
    .map(([key, value]) => concatBytes([utf8(`${key}=`), value]))
    .sort(compareBytes);
  return sha1(concatBytes(items.flatMap((item, i) => (i === 0 ? [item] : [separator, item]))));
}

/**
 * The peer's hash of the content of a source. For a SecretProviderClass the items include its own name, not the name of the status object that
 * holds the versions.
 */
export function compatSourceHash(
  { kind, name }: Pick<SourceRef, "kind" | "name">,
  content: SourceContent,
  sha1: (bytes: Uint8Array) => string,
): string {
  if (kind !== "SecretProviderClass") return compatHash(kind, content, sha1);
  const data = new Map([...content.data, ["SecretProviderClassName", utf8(name)] as const]);
  return compatHash(kind, { data, binaryData: content.binaryData }, sha1);
}

const separator = utf8(";");

function encoded([key, value]: [string, Uint8Array]): [string, Uint8Array] {
  return [key, base64(value)];
}
