import { tokenDigest } from "./token-digest.ts";

/** What a terminal shows of its verifier: nobody finds the verifier by it (RFC 7636, `S256`). */
export function challengeOfVerifier(verifier: string): string {
  return tokenDigest(verifier).toString("base64url");
}

/** Whether a text may be the code that a person gets for their terminal on the page. It is of no use without the verifier. */
export function isTerminalCode(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** The token of a terminal that has signed in. */
export function terminalToken(code: string, verifier: string): string {
  return `${code}.${verifier}`;
}

/** The code and the verifier of a token; undefined: it is none of a terminal. */
export function readTerminalToken(
  token: string,
): { readonly code: string; readonly verifier: string } | undefined {
  const [code = "", verifier = "", ...rest] = token.split(".");
  return rest.length === 0 && isTerminalCode(code) && isTerminalCode(verifier)
    ? { code, verifier }
    : undefined;
}
