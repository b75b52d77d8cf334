import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { writeAuditWebhook } from "@fleet-reloader/control-plane/audit-webhook";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { hintKey } from "@fleet-reloader/domain/hint/hint";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { createLoopbackCertificate } from "@fleet-reloader/testkit/sim-api/http/certificate";
import { until } from "@fleet-reloader/testkit/until";
import { expectOk } from "../api/expect-ok.ts";
import type { BenchContext, Outcome } from "../benchmark.ts";
import { orEnd, startChild } from "../child/child.ts";
import type { ReceiverMethods } from "../receiver/methods.ts";
import { figure } from "../report/table.ts";
import { spreadOf } from "../stats/percentile.ts";
import { seededRandom } from "../stats/random.ts";
import { dataFolder } from "../tool/data-folder.ts";
import { startTlsRedis } from "../tool/tls-redis.ts";

const fullWrites = 1000;
const quickWrites = 20;
/** Between two writes, at most: no batch is full before the second is over that an event waits. */
const pauseMaxMs = 100;
/** `audit-policy` sets `batch-max-wait=1s`: what an event waits at most, and time to write, send and store it. */
const markMs = 1200;
const namespace = "default";
const token = "a-token-of-the-api-server-of-the-bench";
const commandLine = join(import.meta.dirname, "../../../../services/cli/dist/main.mjs");

/** From a write to its hint in Redis, with a real API server that is set up as `audit-policy` says. */
export async function timeHints({ isQuick, say, seed, size }: BenchContext): Promise<Outcome> {
  const writes = size ?? (isQuick ? quickWrites : fullWrites);
  await using redis = await startTlsRedis();
  const { certificatePem, keyPem } = createLoopbackCertificate();
  await using receiver = startChild<ReceiverMethods>(new URL("../receiver/process.ts", import.meta.url), [], {
    NODE_EXTRA_CA_CERTS: redis.caFile,
  });
  const tokens = `bench sha256:${createHash("sha256").update(token).digest("hex")}`;
  const started = receiver.ask("start", { redisUrl: redis.url, keyPem, certificatePem, tokens });
  const server = `https://127.0.0.1:${await orEnd(receiver, started)}`;
  using folder = dataFolder();
  const printed = execFileSync(process.execPath, [commandLine, "audit-policy", "--server", server], {
    encoding: "utf8",
  });
  const apiServerFlags = writeAuditWebhook(printed, {
    directory: folder.path,
    caPem: certificatePem,
    token,
  });
  await using plane = await startControlPlane({ controllers: false, apiServerFlags });
  const client = new ApiClient({ url: plane.url, token: plane.adminToken, ca: plane.caPem });
  await receiver.ask("timeHints", undefined);
  say(`${writes} writes`);
  const sentAt = await writeSpread(client, writes, seededRandom(seed));
  const stored = await until("every hint is stored", async () => {
    const times = await receiver.ask("storedAt", undefined);
    return [...sentAt.keys()].every((key) => times.has(key)) ? times : undefined;
  });
  return report(
    [...sentAt].map(([key, at]) => (stored.get(key) ?? Number.NaN) - at),
    isQuick,
  );
}

/** Makes ConfigMaps one after another; resolves to the times by key of the hint that each leads to. */
async function writeSpread(
  client: ApiClient,
  writes: number,
  random: () => number,
): Promise<ReadonlyMap<string, number>> {
  const sentAt = new Map<string, number>();
  for (let at = 0; at < writes; at += 1) {
    const name = `written-${at}`;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } };
    sentAt.set(
      hintKey({ group: "", resource: "configmaps", namespace, name }),
      performance.timeOrigin + performance.now(),
    );
    await expectOk(`create ${name}`, client.create("ConfigMap", object, namespace));
    await wait(pauseMaxMs * random());
  }
  return sentAt;
}

function report(latencies: readonly number[], isQuick: boolean): Outcome {
  const { count, p50, p95, p99, max } = spreadOf(latencies);
  return {
    tables: [
      {
        title: "ms from the request that writes to the hint in Redis",
        columns: ["from → to", "writes", "p50", "p95", "p99", "max"],
        rows: [["write sent → hint stored", String(count), ...[p50, p95, p99, max].map(figure)]],
      },
    ],
    marks: isQuick
      ? []
      : [
          {
            figure: "B22 write → hint, ms p99",
            limit: `≤ ${markMs}`,
            value: figure(p99),
            isMet: p99 <= markMs,
          },
        ],
    notes: ["both times are of one clock of one machine"],
    measures: { latencies },
  };
}
