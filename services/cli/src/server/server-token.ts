import { readFileSync, statSync } from "node:fs";
import { Fault } from "@fleet-reloader/domain/fault";
import type { CommandProcess } from "../frame/command.ts";
import { isReadByOthers, readStoredTokens, tokensFile } from "../login/stored-tokens.ts";
import { tokenVariable } from "./server-fields.ts";

/** What may stand in a header after `Bearer`. */
const tokenPattern = /^[\x21-\x7e]{1,4096}$/;

/** The text as a token. Faults for any other text, without quoting it. */
export function checkedToken(text: string, from: string): string {
  const token = text.trim();
  if (tokenPattern.test(token)) return token;
  throw new Fault(
    "config.invalid",
    `${from}: it holds no token; a token is one line of at most 4096 letters, digits and signs`,
  );
}

/** The token for a server: of the file that is named, of the variable, or what a login keeps. Undefined: none. */
export function tokenFor(
  server: URL,
  tokenFile: string,
  { env, stderr }: Pick<CommandProcess, "env" | "stderr">,
): string | undefined {
  if (tokenFile !== "") return checkedToken(readTokenFile(tokenFile, stderr), `--token-file ${tokenFile}`);
  const given = env[tokenVariable] ?? "";
  if (given !== "") return checkedToken(given, tokenVariable);
  const path = tokensFile(env);
  if (path === undefined) return undefined;
  const stored = readStoredTokens(path).find((one) => one.server === server.origin);
  return stored === undefined ? undefined : checkedToken(stored.token, path);
}

/** A mounted Secret is often readable for all, so it is used all the same. */
function readTokenFile(path: string, stderr: CommandProcess["stderr"]): string {
  try {
    const text = readFileSync(path, "utf8");
    const { mode } = statSync(path);
    if (isReadByOthers(mode))
      stderr.write(`warning: --token-file ${path}: others on this machine can read it; chmod 600 ${path}\n`);
    return text;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Fault(
      "config.invalid",
      `--token-file ${path}: cannot be read (${code}); name a file with the token`,
    );
  }
}
