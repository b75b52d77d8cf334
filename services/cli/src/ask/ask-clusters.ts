import { existsSync } from "node:fs";
import { Fault } from "@fleet-reloader/domain/fault";
import type { EachAnswer } from "@fleet-reloader/engine/ask/ask-each-cluster";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { rollLimitsOf } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { printable, printableJson, printableLines } from "@fleet-reloader/runtime/log/printable";
import { dataDirOf } from "@fleet-reloader/runtime/process/data-dir";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { assertShown } from "@fleet-reloader/wiring/asks/asked-clusters";
import { type Asking, openAsking } from "@fleet-reloader/wiring/asks/open-asking";
import type { AskedRedis } from "@fleet-reloader/wiring/asks/questions";
import { asFlagFault, type CommandProcess, exitCodeAfter } from "../frame/command.ts";
import { redisLogin } from "../redis/redis-login.ts";
import { shardsOf } from "../redis/used-redis.ts";
import type { explainConfig } from "./ask-config.ts";

type AskConfig = ConfigOf<typeof explainConfig>;

/** A question that is put to the clusters of the configuration. */
export interface AskedOf {
  readonly asking: Asking;
  readonly settings: Settings;
  readonly signal: AbortSignal;
}

/**
 * Connects to clusters and Redis, puts the question, and closes the connections. Nothing is written to either. A cluster that cannot be
 * reached takes nothing from the answers of the others.
 */
export async function askClusters<T extends Pick<EachAnswer<unknown>, "failed">>(
  config: AskConfig,
  { env, stderr }: Pick<CommandProcess, "env" | "stderr">,
  question: (asked: AskedOf) => Promise<T>,
): Promise<T> {
  const log = createLog({ service: "cli", level: "error", format: "json" });
  const clock = systemClock;
  const settings = settingsOf(config);
  const limits = rollLimitsOf(config);
  const { signal } = new AbortController();
  const client = await redisClientOf(config, env, log);
  try {
    const redis = client && (await usedRedis(client));
    const asking = await openAsking({ config, env, settings, limits, redis, clock, log }, signal);
    try {
      assertShown(asking.clusters, config.inNamespace);
      for (const warning of asking.warnings) stderr.write(`warning: ${printable(warning)}\n`);
      const each = await question({ asking, settings, signal });
      return Object.assign({}, each, { failed: [...asking.failed, ...each.failed] });
    } finally {
      await asking.close();
    }
  } finally {
    await client?.close();
  }
}

/** Says which clusters do not answer, and returns the exit code of the command: 0 when all do. */
export function exitCodeOfFailed(failed: readonly Fault[], io: Pick<CommandProcess, "stderr">): number {
  const [code = 0] = failed.map((fault) => exitCodeAfter(asFlagFault(fault), io));
  return code;
}

/** What a question answers of a cluster, as text and as JSON. */
export interface AskedAnswer {
  readonly text: string;
  readonly json: string;
}

/** Texts with an empty line between them, or one line of JSON for each. */
export function printAnswers(
  answers: readonly AskedAnswer[],
  output: AskConfig["output"],
  { stdout }: Pick<CommandProcess, "stdout">,
): void {
  if (output === "json") for (const { json } of answers) stdout.write(`${printableJson(json)}\n`);
  else stdout.write(answers.map(({ text }) => printableLines(text)).join("\n"));
}

async function redisClientOf(
  config: AskConfig,
  env: CommandProcess["env"],
  log: ReturnType<typeof createLog>,
): Promise<RedisClient | undefined> {
  if (config.redisUrl !== "") return new RedisClient(await redisLogin(config, env), log);
  const socketPath = embeddedSocket(dataDirOf(config.dataDir, env));
  return existsSync(socketPath) ? new RedisClient({ socketPath }, log) : undefined;
}

async function usedRedis(client: RedisClient): Promise<AskedRedis> {
  const shards = await shardsOf(client, systemClock);
  if (shards !== undefined) return { client, keys: new Keys("fleet-reloader", shards) };
  throw new Fault(
    "redis.state-lost",
    "--redis-url: nobody uses this Redis, or nobody has yet since it was wiped. Check the address; if it is right, ask again when a watcher is ready",
  );
}
