import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** 256 bits cannot be guessed, so a fast hash is enough to protect them. */
const tokenBytes = 32;

/** A new token for its owner. */
export function makeToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

/** SHA-256 of a token. A file holds this instead of the token. */
export function tokenDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** The form of a digest in files. */
export function writeTokenDigest(digest: Buffer): string {
  return `sha256:${digest.toString("hex")}`;
}

/** Parses `sha256:HEX` from a file; undefined for any other text. */
export function readTokenDigest(text: string): Buffer | undefined {
  const [, hex] = /^sha256:([0-9a-f]{64})$/i.exec(text) ?? [];
  return hex === undefined ? undefined : Buffer.from(hex, "hex");
}

/** The bearer token of a request; undefined: it has none. */
export function bearerToken({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const [, token] = /^bearer (\S{1,4096})$/i.exec(headers.authorization ?? "") ?? [];
  return token;
}

/** The owner of a token. Compares with every digest in constant time, even after a match. */
export function ownerOfToken<T extends { readonly digest: Buffer }>(
  owners: readonly T[],
  token: string,
): T | undefined {
  const digest = tokenDigest(token);
  let found: T | undefined;
  for (const owner of owners) if (timingSafeEqual(owner.digest, digest)) found = owner;
  return found;
}
