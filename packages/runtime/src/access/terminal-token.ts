import { tokenDigest } from "./token-digest.ts";

/** The challenge that a terminal shows: the verifier cannot be computed from it (RFC 7636, `S256`). */
export function challengeOfVerifier(verifier: string): string {
  return tokenDigest(verifier).toString("base64url");
}

/** Whether a text may be the code that the page gives a person for their terminal. It is useless without the verifier. */
export function isTerminalCode(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The token of a terminal that has signed in. */
export function terminalToken(code: string, verifier: string): string {
  return `${code}.${verifier}`;
}

/** The code and the verifier in a terminal's token; undefined: it is not such a token. */
export function readTerminalToken(
  token: string,
): { readonly code: string; readonly verifier: string } | undefined {
  const [code = "", verifier = "", ...rest] = token.split(".");
  return rest.length === 0 && isTerminalCode(code) && isTerminalCode(verifier)
    ? { code, verifier }
    : undefined;
}
