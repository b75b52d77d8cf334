import { createHash } from "node:crypto";
import { challengeOfVerifier, readTerminalToken } from "@fleet-reloader/runtime/access/terminal-token";
import { makeToken } from "@fleet-reloader/runtime/access/token-digest";

/** A new session of a terminal. */
export interface NewTerminalSession {
  /** The code that the person takes to the terminal. */
  readonly code: string;
  /** Nobody can derive it from the code alone, and no cookie can hold it. */
  readonly id: string;
}

/** A session for the terminal that showed a challenge. */
export function newTerminalSession(challenge: string): NewTerminalSession {
  const code = makeToken();
  return { code, id: sessionIdOf(code, challenge) };
}

/** The id of the session that a token opens; undefined when it is no token of a terminal. */
export function terminalSessionId(token: string): string | undefined {
  const read = readTerminalToken(token);
  return read === undefined ? undefined : sessionIdOf(read.code, challengeOfVerifier(read.verifier));
}

/** The dot keeps the id out of cookies. Anyone who has seen code and challenge knows the id, but has to show the verifier. */
function sessionIdOf(code: string, challenge: string): string {
  const digest = createHash("sha256").update(JSON.stringify(["fleet-reloader terminal", code, challenge]));
  return `terminal.${digest.digest("base64url")}`;
}
