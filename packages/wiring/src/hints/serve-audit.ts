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

/** Receives audit events; undefined when no address is given. Faults with `config.invalid` when a file is missing or unreadable. */
export async function serveAudit(options: ServeAuditOptions): Promise<Listening | undefined> {
  const { client, clock, config, fleet, keys, log, meter, settings } = options;
  const { auditListenAddress: address, auditClientCaFile, auditTokenFile } = config;
  if (address === undefined) return undefined;
  if (auditClientCaFile === "" && auditTokenFile === "")
    throw new Fault(
      "config.invalid",
      "--audit-listen-address: nothing tells the API servers apart; give --audit-client-ca-file or --audit-token-file",
    );
  const tokens = auditTokenFile === "" ? "" : String(await readAs("--audit-token-file", auditTokenFile));
  const clientCa =
    auditClientCaFile === "" ? undefined : await readAs("--audit-client-ca-file", auditClientCaFile);
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
    tls: {
      cert: await readAs("--audit-tls-cert-file", config.auditTlsCertFile),
      key: await readAs("--audit-tls-key-file", config.auditTlsKeyFile),
      clientCa,
    },
    credentials: new AuditCredentials(tokens, `--audit-token-file ${auditTokenFile}`),
    receive,
    counted: (cluster = "", result) => meter.auditRequest(cluster, result),
    log,
  });
}

async function readAs(flag: string, file: string): Promise<Buffer> {
  if (file === "")
    throw new Fault("config.invalid", `${flag}: it is missing, and --audit-listen-address needs it`);
  try {
    return await readFile(file);
  } catch (error) {
    throw new Fault("config.invalid", `${flag} ${file}: it cannot be read (${asFault(error).message})`);
  }
}
