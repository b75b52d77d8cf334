import { createHash } from "node:crypto";
import { challengeOfVerifier, readTerminalToken } from "@fleet-reloader/runtime/access/terminal-token";
import { makeToken } from "@fleet-reloader/runtime/access/token-digest";

/** A new session of a terminal. */
export interface NewTerminalSession {
  /** What the person takes to the terminal. */
  readonly code: string;
  /** Nobody finds it by the code alone. No cookie can hold it. */
  readonly id: string;
}

/** A session for the terminal that has shown a challenge. */
export function newTerminalSession(challenge: string): NewTerminalSession {
  const code = makeToken();
  return { code, id: sessionIdOf(code, challenge) };
}

/** The id of the session that a token opens; undefined: it is no token of a terminal. */
export function terminalSessionId(token: string): string | undefined {
  const read = readTerminalToken(token);
  return read === undefined ? undefined : sessionIdOf(read.code, challengeOfVerifier(read.verifier));
}

/** The dot keeps it out of cookies: who has seen code and challenge knows the id, and has to show the verifier. */
function sessionIdOf(code: string, challenge: string): string {
  const digest = createHash("sha256").update(JSON.stringify(["fleet-reloader terminal", code, challenge]));
  return `terminal.${digest.digest("base64url")}`;
}
