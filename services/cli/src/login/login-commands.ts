import { Fault } from "@fleet-reloader/domain/fault";
import { printable } from "@fleet-reloader/runtime/log/printable";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { type CommandProcess, defineCommand } from "../frame/command.ts";
import { ApiClient } from "../server/api-client.ts";
import { trustedBy } from "../server/open-server.ts";
import { serverFields } from "../server/server-fields.ts";
import { checkedToken } from "../server/server-token.ts";
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
  purpose: "Keep a token for a server, so that commands with --server are signed in",
  details: `Asks for the token without showing it, or reads it from the standard input. It is checked with the server and kept in
~/.config/fleet-reloader/servers.json ($XDG_CONFIG_HOME is respected), which only this user can read.`,
  examples: [
    "fleet-reloader login --server https://reloader.example.org",
    "fleet-reloader login --server https://reloader.example.org < token",
  ],
  flags: { server: givenServer, serverCaFile },
  async run({ config }, io) {
    const origin = requiredServer(config.server);
    const path = requiredFile(io);
    const ca = trustedBy(config);
    const line = await readSecretLine(`Token for ${origin.origin}: `, io);
    const token = checkedToken(line, "the standard input");
    const name = await new ApiClient({ server: origin, token, ca, clock: systemClock }).signedIn();
    if (name === "") {
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
  purpose: "Forget the token for a server",
  details: "The token itself stays good: remove it from the access file to end it.",
  examples: ["fleet-reloader logout --server https://reloader.example.org"],
  flags: { server: givenServer },
  async run({ config }, io) {
    const { origin } = requiredServer(config.server);
    const path = requiredFile(io);
    const kept = readStoredTokens(path);
    const others = kept.filter((one) => one.server !== origin);
    if (others.length === kept.length) {
      io.stdout.write(`no token for ${origin} is kept\n`);
      return 0;
    }
    writeStoredTokens(path, others);
    io.stdout.write(`the token for ${origin} is forgotten\n`);
    return 0;
  },
});

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
