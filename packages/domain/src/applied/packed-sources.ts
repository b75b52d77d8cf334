import { utf8 } from "../bytes.ts";
import type { KeyedDigest } from "../source/mark.ts";
import type { AppliedSource } from "./applied-source.ts";

/**
 * The applied state of very many sources, in 18 characters each: a digest of the name and the first part of the digest of the content, both keyed.
 * Two of ten thousand names collide with a probability of 2^-21, two contents with one of 2^-60.
 */
const nameLength = 8;
const contentLength = 10;
const entryLength = nameLength + contentLength;

const absentEntry = "-".repeat(contentLength);

/**
 * The sources of an applied state. Some are named. The others are known by digest only: `get` finds them by name, but iteration does not list them.
 */
export class PackedSources extends Map<string, AppliedSource> {
  readonly #keyed: KeyedDigest;
  readonly #contents = new Map<string, string>();
  /** The text in the applied state. */
  readonly packed: string;

  constructor(named: ReadonlyMap<string, AppliedSource>, packed: string, keyed: KeyedDigest) {
    super(named);
    this.#keyed = keyed;
    this.packed = packed;
    for (let at = 0; at < packed.length; at += entryLength)
      this.#contents.set(packed.slice(at, at + nameLength), packed.slice(at + nameLength, at + entryLength));
  }

  override get(name: string): AppliedSource | undefined {
    return super.get(name) ?? this.#unpack(name);
  }

  override has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  #unpack(name: string): AppliedSource | undefined {
    const content = this.#contents.get(nameDigest(name, this.#keyed));
    if (content === undefined) return undefined;
    if (content === absentEntry) return { type: "absent" };
    return { type: "present", digest: content, keyId: this.#keyed.keyId, keys: "all" };
  }
}

/** Packs the sources that can be packed into one deterministic text, and returns the others as they are. */
export function packSources(sources: ReadonlyMap<string, AppliedSource>, keyed: KeyedDigest) {
  const entries: string[] = [];
  const named = new Map<string, AppliedSource>();
  for (const [name, source] of sources) {
    const content = packedContent(source, keyed);
    if (content === undefined) named.set(name, source);
    else entries.push(nameDigest(name, keyed) + content);
  }
  return { packed: entries.sort().join(""), named };
}

/** Whether `packSources` can have made this text. */
export function isPacked(text: string): boolean {
  return text.length % entryLength === 0 && /^[A-Za-z0-9_-]+$/.test(text);
}

/** Whether an applied digest, which may be shortened, belongs to this content. */
export function isSameDigest(applied: string, now: string): boolean {
  return applied.length === contentLength ? now.startsWith(applied) : applied === now;
}

function packedContent(source: AppliedSource, { keyId }: KeyedDigest): string | undefined {
  if (source.type === "absent") return absentEntry;
  const { asOfSeconds, earlier, goneAfterSeconds, isSetAside } = source;
  const isThere = isSetAside === undefined && goneAfterSeconds === undefined;
  const isDigestAll = asOfSeconds === undefined && earlier === undefined && isThere;
  const isPlain = source.keys === "all" && source.keyId === keyId && isDigestAll;
  return isPlain ? source.digest.slice(0, contentLength) : undefined;
}

function nameDigest(name: string, keyed: KeyedDigest): string {
  return keyed.digest(utf8(`name ${name}`)).slice(0, nameLength);
}
