import { compareBytes, concatBytes, utf8 } from "../bytes.ts";
import { madeOnce } from "../made-once.ts";
import type { ReferencedKeys } from "../reference/object-use.ts";
import { type SourceContent, type SourceRef, sourceKey } from "./source.ts";

declare const markBrand: unique symbol;

/**
 * `v1:<key id>:<digest>`, the value written on a pod template. The same content always has the same mark under the same key; different content
 * has the same mark with probability 2^-128. Without the key a mark says nothing about the content. Even so, no log may contain it (I4).
 */
export type Mark = string & { readonly [markBrand]: true };

/** A keyed digest, HMAC-SHA-256 in production. The key stays inside. */
export interface KeyedDigest {
  /** The id of the key: letters, digits, `_`, `.` and `-`, at most 64. Public. */
  readonly keyId: string;
  /** 128 bit of the digest as base64url without padding: 22 characters. */
  digest(bytes: Uint8Array): string;
}

const markShape = /^v1:([A-Za-z0-9_.-]{1,64}):[A-Za-z0-9_-]{22}$/;

/** Whether a text, say an annotation that anybody may have written, has the shape of a mark. */
export function isMark(text: string): text is Mark {
  return markShape.test(text);
}

/** The id of the key that made a mark. Marks of different keys cannot be compared. */
export function markKeyId(mark: Mark): string {
  return mark.split(":")[1] ?? "";
}

/**
 * The bytes that a mark is the digest of: kind, namespace, name, then each selected key in bytewise order with its presence and its value. The
 * length of every text and value precedes it as 8 bytes, big-endian.
 *
 * No two different contents have the same bytes, whatever separators occur in them (`{a: "1;b=2"}` is not `{a: "1", b: "2"}`). `data` and
 * `binaryData` count as one, since pods cannot tell them apart. A listed key that the source does not have counts as absent, which differs from
 * empty.
 */
export function canonicalBytes(source: SourceRef, content: SourceContent, keys: ReferencedKeys): Uint8Array {
  const values = new Map([...content.data, ...content.binaryData]);
  const selected = [...new Set(keys === "all" ? values.keys() : keys)]
    .map((key) => ({ key: utf8(key), value: values.get(key) }))
    .sort((a, b) => compareBytes(a.key, b.key));
  return concatBytes([
    framed(utf8(source.kind), utf8(source.namespace), utf8(source.name)),
    ...selected.flatMap(({ key, value }) =>
      value === undefined ? [absentField, framed(key)] : [presentField, framed(key, value)],
    ),
  ]);
}

/**
 * The mark of what a workload sees of one source. A content may have a mebibyte, so it is digested only once for all workloads that use the same
 * keys of it. The cache identifies a content by object identity, not by its version: a restored etcd may give out a version again.
 */
export function markOf(
  source: SourceRef,
  content: SourceContent,
  keys: ReferencedKeys,
  keyed: KeyedDigest,
): Mark {
  const made = marksMade(content);
  const asked = JSON.stringify([keyed.keyId, sourceKey(source), keys]);
  const mark = made.get(asked) ?? toMark(canonicalBytes(source, content, keys), keyed);
  made.set(asked, mark);
  return mark;
}

/** Marks of contents that something still references. When a content is collected, its marks are, too. */
const marksMade = madeOnce((_content: SourceContent) => new Map<string, Mark>());

/** One mark for all the sources of a workload, in any order. */
export function combineMarks(
  marks: readonly { readonly source: SourceRef; readonly mark: string }[],
  keyed: KeyedDigest,
): Mark {
  const sorted = marks
    .map(({ source, mark }) => framed(utf8(sourceKey(source)), utf8(mark)))
    .sort(compareBytes);
  // No source kind is called "Combined", so no content has these bytes.
  return toMark(concatBytes([framed(utf8("Combined")), ...sorted]), keyed);
}

const absentField = Uint8Array.of(0);
const presentField = Uint8Array.of(1);

const lengthBytes = 8;

/** The parts in one array, each preceded by its length as 8 bytes, big-endian. */
export function framed(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + lengthBytes + part.length, 0));
  const view = new DataView(all.buffer);
  let offset = 0;
  for (const part of parts) {
    view.setUint32(offset, Math.floor(part.length / 2 ** 32));
    view.setUint32(offset + 4, part.length % 2 ** 32);
    all.set(part, offset + lengthBytes);
    offset += lengthBytes + part.length;
  }
  return all;
}

function toMark(bytes: Uint8Array, keyed: KeyedDigest): Mark {
  const mark = `v1:${keyed.keyId}:${keyed.digest(bytes)}`;
  // The message does not show the mark: the digest may have returned a text derived from a Secret.
  if (!isMark(mark))
    throw new TypeError("a keyed digest must have a plain key id and give 22 characters of base64url");
  return mark;
}
