import { randomBytes } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";
import { jsonList, jsonText, parseJson } from "@fleet-reloader/domain/json";
import { makeFolder } from "@fleet-reloader/runtime/process/data-dir";
import type { CommandProcess } from "../frame/command.ts";

/** A token that a login keeps. */
export interface StoredToken {
  /** Scheme, host and port. */
  readonly server: string;
  /** What the server calls its owner. */
  readonly name: string;
  readonly token: string;
}

/** Where logins are kept, by the XDG base directory specification; undefined: this user has no home. */
export function tokensFile(env: CommandProcess["env"]): string | undefined {
  const { HOME: home = "", XDG_CONFIG_HOME: given = "" } = env;
  // The specification ignores a folder that is relative.
  const folder = isAbsolute(given) ? given : home === "" ? undefined : join(home, ".config");
  return folder === undefined ? undefined : join(folder, "fleet-reloader", "servers.json");
}

/** The tokens that are kept. Faults when others can read the file, as ssh does of a key, or when it is damaged. */
export function readStoredTokens(path: string): readonly StoredToken[] {
  const mode = modeOf(path);
  if (mode === undefined) return [];
  if (isReadByOthers(mode))
    throw new Fault(
      "config.invalid",
      `${path}: others on this machine can read it (mode ${(mode & 0o777).toString(8)}), so its tokens are not used; write chmod 600 ${path}, and ask for a new token if somebody may have read it`,
    );
  const read = parseJson(readTokens(path));
  const all = jsonList(read, "servers").map((one): StoredToken | undefined => {
    const [server, token] = [jsonText(one, "server"), jsonText(one, "token")];
    if (server === undefined || token === undefined) return undefined;
    return { server, name: jsonText(one, "name") ?? "", token };
  });
  const known = all.filter((one) => one !== undefined);
  if (read !== undefined && known.length === all.length) return known;
  throw new Fault("config.invalid", `${path}: it is damaged; remove it, and sign in again`);
}

/** Keeps these tokens and no others, for this user alone. A process that ends meanwhile leaves the file as it was. */
export function writeStoredTokens(path: string, tokens: readonly StoredToken[]): void {
  const draft = `${path}.${randomBytes(8).toString("hex")}`;
  try {
    makeFolder(dirname(path));
    writeFileSync(draft, `${JSON.stringify({ servers: tokens }, undefined, 2)}\n`, {
      mode: 0o600,
      flag: "wx",
    });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Fault(
      "config.invalid",
      `${path}: cannot be written (${codeOf(error)}); let this user write there, or set XDG_CONFIG_HOME`,
    );
  }
}

function modeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mode;
  } catch (error) {
    throw unreadableTokens(path, error);
  }
}

function readTokens(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw unreadableTokens(path, error);
  }
}

function unreadableTokens(path: string, error: unknown): Fault {
  return new Fault(
    "config.invalid",
    `${path}: cannot be read (${codeOf(error)}); let this user read it, or remove it`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}

/** Whether others than the owner of a file have any right on it, by its mode. */
export function isReadByOthers(mode: number): boolean {
  return (mode & 0o077) !== 0;
}
