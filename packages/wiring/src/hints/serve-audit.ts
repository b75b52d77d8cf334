import { readFile } from "node:fs/promises";
import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { Fleet } from "@fleet-reloader/kube/fleet/fleet";
import type { RedisClient } from "@fleet-reloader/redis/connection/client";
import type { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAuditedWrites } from "@fleet-reloader/redis/hints/redis-audited-writes";
import { RedisHints } from "@fleet-reloader/redis/hints/redis-hints";
import { AuditCredentials } from "@fleet-reloader/runtime/audit/audit-credentials";
import { listenAudit } from "@fleet-reloader/runtime/audit/audit-endpoint";
import type { hintFields } from "@fleet-reloader/runtime/audit/hint-fields";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import type { Listening } from "@fleet-reloader/runtime/http/start-listening";
import { createAuditReceiver } from "./audit-receiver.ts";
import { createServedFilter } from "./hinted-resources.ts";

export interface ServeAuditOptions {
  readonly config: ConfigOf<typeof hintFields>;
  readonly fleet: Pick<Fleet, "named">;
  readonly settings: Settings;
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

const auditTlsFlags = {
  certFile: "--audit-tls-cert-file",
  keyFile: "--audit-tls-key-file",
  clientCaFile: "--audit-client-ca-file",
} as const;

/** Receives audit events; undefined when no address is given. Faults with `config.invalid` when a file is missing or unreadable. */
export async function serveAudit(options: ServeAuditOptions): Promise<Listening | undefined> {
  const { client, clock, config, fleet, keys, log, meter, settings } = options;
  const { auditListenAddress: address, auditClientCaFile: clientCaFile, auditTokenFile } = config;
  if (address === undefined) return undefined;
  if (clientCaFile === "" && auditTokenFile === "")
    throw new Fault(
      "config.invalid",
      "--audit-listen-address: nothing tells the API servers apart; give --audit-client-ca-file or --audit-token-file",
    );
  const tokens = auditTokenFile === "" ? "" : await tokenLines(auditTokenFile);
  const files = { certFile: config.auditTlsCertFile, keyFile: config.auditTlsKeyFile, clientCaFile };
  const receive = createAuditReceiver({
    clusterNamed: (name) => fleet.named(name),
    isServed: createServedFilter(settings),
    eventSource: config.eventSource,
    hints: new RedisHints({ client, keys, clock, log }),
    writes: new RedisAuditedWrites({ client, keys }),
    clock,
    log,
    meter,
  });
  return await listenAudit({
    address,
    tls: { files, flags: auditTlsFlags, clock, log },
    credentials: new AuditCredentials(tokens, `--audit-token-file ${auditTokenFile}`),
    receive,
    counted: (cluster = "", result) => meter.auditRequest(cluster, result),
    log,
  });
}

async function tokenLines(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const why = asFault(error).message;
    throw new Fault("config.invalid", `--audit-token-file ${file}: it cannot be read (${why})`);
  }
}
