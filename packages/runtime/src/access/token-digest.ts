import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** 256 bits: nobody finds them by trying, so a fast hash keeps them. */
const tokenBytes = 32;

/** A new token, as its owner gets it. */
export function makeToken(): string {
  return randomBytes(tokenBytes).toString("base64url");
}

/** SHA-256 of a token. A file has this and not the token. */
export function tokenDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** As files write it. */
export function writeTokenDigest(digest: Buffer): string {
  return `sha256:${digest.toString("hex")}`;
}

/** The digest that a file writes as `sha256:HEX`; undefined for any other text. */
export function readTokenDigest(text: string): Buffer | undefined {
  const [, hex] = /^sha256:([0-9a-f]{64})$/i.exec(text) ?? [];
  return hex === undefined ? undefined : Buffer.from(hex, "hex");
}

/** The token that a request shows; undefined: none. */
export function bearerToken({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const [, token] = /^bearer (\S{1,4096})$/i.exec(headers.authorization ?? "") ?? [];
  return token;
}

/** Whose token it is. Compares with every digest in constant time, and does not stop at the one that fits. */
export function ownerOfToken<T extends { readonly digest: Buffer }>(
  owners: readonly T[],
  token: string,
): T | undefined {
  const digest = tokenDigest(token);
  let found: T | undefined;
  for (const owner of owners) if (timingSafeEqual(owner.digest, digest)) found = owner;
  return found;
}
