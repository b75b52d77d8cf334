import { createHash, randomBytes } from "node:crypto";

/** 256 bits: nobody guesses them. As long as RFC 7636, section 4.1, recommends. */
const secretBytes = 32;

/** A secret that nobody knows but the terminal that signs in. */
export function makeTerminalVerifier(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** What a terminal shows of its verifier: nobody finds the verifier by it (RFC 7636, `S256`). */
export function challengeOfVerifier(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

/** What a person gets for their terminal on the page. It is of no use without the verifier. */
export function makeTerminalCode(): string {
  return randomBytes(secretBytes).toString("base64url");
}

/** Whether a text may be such a code. */
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
