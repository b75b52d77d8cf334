import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipher = "aes-256-gcm";
const sealKeyBytes = 32;
/** The length that GCM requires (NIST SP 800-38D). Random nonces are unique enough for 2^32 texts of a key; we seal one for each sign-in. */
const nonceBytes = 12;
const tagBytes = 16;

/** Seals texts that somebody else keeps for us. They can neither read nor write them. */
export class TextSeal {
  readonly #key: Uint8Array;

  /** Derives the key from the secret for one purpose: a text sealed for another purpose cannot be opened. */
  constructor(secret: string, ...purpose: readonly string[]) {
    this.#key = new Uint8Array(hkdfSync("sha256", secret, "", JSON.stringify(purpose), sealKeyBytes));
  }

  /** Seals a text for a place. It can be opened only with the same place. */
  seal(text: string, place: string): string {
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, this.#key, nonce, { authTagLength: tagBytes });
    sealing.setAAD(Buffer.from(place));
    const sealed = Buffer.concat([sealing.update(text, "utf8"), sealing.final()]);
    return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString("base64url");
  }

  /** The text; undefined when we did not seal it for this place. */
  open(given: string, place: string): string | undefined {
    const bytes = Buffer.from(given, "base64url");
    if (bytes.length < nonceBytes + tagBytes) return undefined;
    const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    opening.setAAD(Buffer.from(place));
    opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    try {
      const text = opening.update(bytes.subarray(nonceBytes + tagBytes));
      return Buffer.concat([text, opening.final()]).toString("utf8");
    } catch {
      return undefined;
    }
  }
}
