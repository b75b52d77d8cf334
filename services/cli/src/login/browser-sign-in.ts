import { terminalCheckOf, terminalPagePath } from "@fleet-reloader/contracts/api/terminal-sign-in";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import {
  challengeOfVerifier,
  isTerminalCode,
  terminalToken,
} from "@fleet-reloader/runtime/access/terminal-token";
import { makeToken } from "@fleet-reloader/runtime/access/token-digest";
import type { CommandProcess } from "../frame/command.ts";
import type { ApiClient } from "../server/api-client.ts";
import { readSecretLine } from "./read-secret-line.ts";

/**
 * Signs in with a browser, on this machine or another: shows an address, and reads the code that the page gives out for it. Only this
 * process knows the verifier, so nobody else signs in with the code. Undefined: the server asks nobody to sign in.
 */
export async function tokenOfBrowser(
  server: URL,
  client: Pick<ApiClient, "signedIn">,
  io: Pick<CommandProcess, "stderr" | "stdin">,
): Promise<string | undefined> {
  if (!(await asksForSignIn(client))) return undefined;
  const verifier = makeToken();
  const challenge = challengeOfVerifier(verifier);
  const address = new URL(terminalPagePath, server);
  address.searchParams.set("challenge", challenge);
  io.stderr.write(`Open this address, sign in, and allow the terminal ${terminalCheckOf(challenge)}:

  ${address.href}

`);
  const code = (await readSecretLine("Code of the page: ", io)).trim();
  if (isTerminalCode(code)) return terminalToken(code, verifier);
  throw new Fault(
    "config.invalid",
    "the standard input: it holds no code of the page; open the address again, and paste the whole code",
  );
}

async function asksForSignIn(client: Pick<ApiClient, "signedIn">): Promise<boolean> {
  try {
    await client.signedIn();
    return false;
  } catch (error) {
    if (asFault(error).code === "access.unauthenticated") return true;
    throw error;
  }
}
