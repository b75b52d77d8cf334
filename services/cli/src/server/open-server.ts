import { readFileSync } from "node:fs";
import { Fault } from "@fleet-reloader/domain/fault";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import type { CommandProcess } from "../frame/command.ts";
import { ApiClient } from "./api-client.ts";
import type { serverFields } from "./server-fields.ts";
import { tokenFor } from "./server-token.ts";

type ServerConfig = ConfigOf<typeof serverFields>;

/** The server that is given; undefined: none. Faults when its token or its certificates cannot be read. */
export function openServer(
  config: ServerConfig,
  io: Pick<CommandProcess, "env" | "stderr">,
): ApiClient | undefined {
  const { server, tokenFile } = config;
  if (server === undefined) return undefined;
  return new ApiClient({
    server,
    token: tokenFor(server, tokenFile, io),
    ca: trustedBy(config),
    clock: systemClock,
  });
}

/** The certificates of `--server-ca-file`; undefined: those that Node trusts. */
export function trustedBy({ serverCaFile: path }: Pick<ServerConfig, "serverCaFile">): string | undefined {
  if (path === "") return undefined;
  const refused = (why: string) =>
    new Fault("config.invalid", `--server-ca-file ${path}: ${why}; name a file with certificates as PEM`);
  try {
    const text = readFileSync(path, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  } catch (error) {
    throw refused(`cannot be read (${error instanceof Error && "code" in error ? error.code : "unknown"})`);
  }
  throw refused("it has no certificate");
}
