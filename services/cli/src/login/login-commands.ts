import { asFault, Fault } from "@fleet-reloader/domain/fault";
import { readTerminalToken } from "@fleet-reloader/runtime/access/terminal-token";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { switchFlag } from "../frame/cli-fields.ts";
import { type CommandProcess, defineCommand } from "../frame/command.ts";
import { ApiClient } from "../server/api-client.ts";
import { trustedBy } from "../server/open-server.ts";
import { serverFields } from "../server/server-fields.ts";
import { checkedToken } from "../server/server-token.ts";
import { tokenOfBrowser } from "./browser-sign-in.ts";
import { readSecretLine } from "./read-secret-line.ts";
import { readStoredTokens, tokensFile, writeStoredTokens } from "./stored-tokens.ts";

const { server, serverCaFile } = serverFields;
const givenServer = {
  schema: server.schema,
  meta: {
    flag: server.meta.flag,
    env: server.meta.env,
    placeholder: server.meta.placeholder,
    isSecret: true,
    description: "Address of the dashboard. https, or http on this machine.",
    defaultText: "none; it is required",
  },
} as const;

export const loginCommand = defineCommand({
  name: "login",
  purpose: "Sign in at a server, so that commands with --server are answered",
  details: `Asks for a token of the access file without showing it, or reads it from the standard input. With --browser it shows an address
instead: open it in any browser, sign in there as always, also with an issuer, and paste the code that the page shows. That lasts until the
sign-in of the browser ends, 8 hours at most. What signs in is checked with the server and kept in
~/.config/fleet-reloader/servers.json ($XDG_CONFIG_HOME is respected), which only this user can read.`,
  examples: [
    "fleet-reloader login --server https://reloader.example.org --browser",
    "fleet-reloader login --server https://reloader.example.org < token",
  ],
  flags: {
    server: givenServer,
    serverCaFile,
    browser: switchFlag("browser", "Sign in with a browser, and not with a token."),
  },
  async run({ config }, io) {
    const origin = requiredServer(config.server);
    const path = requiredFile(io);
    const ca = trustedBy(config);
    const clientWith = (token?: string) => new ApiClient({ server: origin, token, ca, clock: systemClock });
    const token = config.browser
      ? await tokenOfBrowser(origin, clientWith(), io)
      : checkedToken(await readSecretLine(`Token for ${origin.origin}: `, io), "the standard input");
    const name = token === undefined ? "" : await clientWith(token).signedIn();
    if (token === undefined || name === "") {
      io.stdout.write(`${origin.origin} asks nobody to sign in, so nothing is kept; it is read-only\n`);
      return 0;
    }
    const others = readStoredTokens(path).filter((one) => one.server !== origin.origin);
    writeStoredTokens(path, [...others, { server: origin.origin, name, token }]);
    io.stdout.write(`signed in to ${origin.origin} as ${printable(name)}; the token is in ${path}\n`);
    return 0;
  },
});

export const logoutCommand = defineCommand({
  name: "logout",
  purpose: "Sign out at a server, and forget the token for it",
  details:
    "A sign-in with --browser ends at the server, too. A token of the access file stays good: take it out of the file to end it.",
  examples: ["fleet-reloader logout --server https://reloader.example.org"],
  flags: { server: givenServer, serverCaFile },
  async run({ config }, io) {
    const server = requiredServer(config.server);
    const { origin } = server;
    const path = requiredFile(io);
    const all = readStoredTokens(path);
    const kept = all.find((one) => one.server === origin);
    if (kept === undefined) {
      io.stdout.write(`no token for ${origin} is kept\n`);
      return 0;
    }
    const ca = trustedBy(config);
    writeStoredTokens(
      path,
      all.filter((one) => one.server !== origin),
    );
    io.stdout.write(`the token for ${origin} is forgotten\n`);
    if (readTerminalToken(kept.token) === undefined) return 0;
    return await signOutAt(new ApiClient({ server, token: kept.token, ca, clock: systemClock }), io);
  },
});

/** It is forgotten here in any case, so a server that is away is told, and no failure. */
async function signOutAt(client: ApiClient, io: Pick<CommandProcess, "stderr">): Promise<number> {
  try {
    await client.signOut();
  } catch (error) {
    const why = asFault(error).message;
    io.stderr.write(`warning: the sign-in ends at the server by itself, within 8 hours (${why})\n`);
  }
  return 0;
}

function requiredServer(given: URL | undefined): URL {
  if (given !== undefined) return given;
  throw new Fault(
    "config.invalid",
    "--server: it is missing; write the address of the dashboard, for example https://reloader.example.org",
  );
}

function requiredFile({ env }: Pick<CommandProcess, "env">): string {
  const path = tokensFile(env);
  if (path !== undefined) return path;
  throw new Fault(
    "config.invalid",
    "HOME: it is not set, so no token can be kept; set it, or XDG_CONFIG_HOME",
  );
}
