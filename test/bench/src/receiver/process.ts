import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import process from "node:process";
import type { HintedResource } from "@fleet-reloader/domain/hint/hint";
import { parseJson } from "@fleet-reloader/domain/json";
import type { HintStore } from "@fleet-reloader/engine/hints/hint-store";
import { RedisClient, redisAddress } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisAuditedWrites } from "@fleet-reloader/redis/hints/redis-audited-writes";
import { RedisHints } from "@fleet-reloader/redis/hints/redis-hints";
import { AuditCredentials } from "@fleet-reloader/runtime/audit/audit-credentials";
import { listenAudit } from "@fleet-reloader/runtime/audit/audit-endpoint";
import { startListening } from "@fleet-reloader/runtime/http/start-listening";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { createAuditReceiver } from "@fleet-reloader/wiring/hints/audit-receiver";
import { serveMethods } from "../child/serve.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { benchCluster } from "../tool/redis-parts.ts";
import type { ReceiverMethods } from "./methods.ts";

/** The listener of a watcher that serves one cluster in the mode `audit`, and nothing else of the watcher. */
const served = new Set(["configmaps", "secrets", "deployments"]);

const storedAt = new Map<string, number>();
let isTimed = false;

/** The same, and notes when asked to. */
function timed(hints: Pick<HintStore, "add">): Pick<HintStore, "add"> {
  return {
    async add(cluster, keys) {
      await hints.add(cluster, keys);
      if (isTimed) for (const key of keys) storedAt.set(key, performance.timeOrigin + performance.now());
    },
  };
}

const methods: ReceiverMethods = {
  async start({ redisUrl, keyPem, certificatePem, tokens }) {
    const log = new CollectedLog();
    const client = new RedisClient(redisAddress(redisUrl), log);
    await client.connection.ping();
    const keys = new Keys("fleet-reloader");
    const meter = new CountingMeter();
    const receive = createAuditReceiver({
      clusterNamed: () => ({ cluster: benchCluster, labels: {} }),
      isServed: ({ resource }: HintedResource) => served.has(resource),
      eventSource: "audit",
      hints: timed(new RedisHints({ client, keys, clock: systemClock, log })),
      writes: new RedisAuditedWrites({ client, keys }),
      clock: systemClock,
      log,
      meter,
    });
    // The listener reads the files before it listens, and nobody renews them here.
    using folder = dataFolder();
    const files = {
      certFile: join(folder.path, "tls.crt"),
      keyFile: join(folder.path, "tls.key"),
      clientCaFile: "",
    };
    writeFileSync(files.certFile, certificatePem);
    writeFileSync(files.keyFile, keyPem, { mode: 0o600 });
    const { port } = await listenAudit({
      address: { host: "127.0.0.1", port: 0 },
      tls: { files, flags: files, clock: systemClock, log },
      credentials: new AuditCredentials(tokens, "tokens"),
      receive,
      counted: (cluster = "", result) => meter.auditRequest(cluster, result),
      log,
    });
    return port;
  },
  async startBare({ keyPem, certificatePem }) {
    const server = createServer({ key: keyPem, cert: certificatePem }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => void chunks.push(chunk));
      request.once("end", () => {
        parseJson(Buffer.concat(chunks).toString("utf8"));
        response.end();
      });
    });
    const { port } = await startListening(server, "the bare receiver", { host: "127.0.0.1", port: 0 });
    return port;
  },
  timeHints() {
    isTimed = true;
  },
  storedAt: () => storedAt,
  cpuSeconds() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  },
};

serveMethods(methods);
