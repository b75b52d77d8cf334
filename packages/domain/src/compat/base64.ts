const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const padding = "=";

/** Standard base64 with padding (RFC 4648 section 4), as ASCII bytes. JavaScript has none before Node 25. */
export function base64(bytes: Uint8Array): Uint8Array {
  const encoded = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(padding.charCodeAt(0));
  const charactersNeeded = Math.ceil((bytes.length * 8) / 6);
  for (let i = 0; i < charactersNeeded; i += 1) {
    const first = Math.floor((i * 6) / 8);
    const pair = ((bytes[first] ?? 0) << 8) | (bytes[first + 1] ?? 0);
    // For i = 0, 1, 2, 3 the six bits begin at bit 0, 6, 4, 2 of the first byte.
    encoded[i] = alphabet.charCodeAt((pair >> (10 - ((i * 6) % 8))) & 63);
  }
  return encoded;
}
