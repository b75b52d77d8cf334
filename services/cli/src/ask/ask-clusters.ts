import type { Fault } from "@fleet-reloader/domain/fault";
import type { EachAnswer } from "@fleet-reloader/engine/ask/ask-each-cluster";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { rollLimitsOf } from "@fleet-reloader/runtime/config/fields/brake-fields";
import { settingsOf } from "@fleet-reloader/runtime/config/settings-of";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { printable, printableJson, printableLines } from "@fleet-reloader/runtime/log/printable";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { assertShown } from "@fleet-reloader/wiring/asks/asked-clusters";
import { type Asking, openAsking } from "@fleet-reloader/wiring/asks/open-asking";
import { asFlagFault, type CommandProcess, exitCodeAfter } from "../frame/command.ts";
import { knownRedisAddress } from "../redis/fleet-redis.ts";
import { openUsedRedis } from "../redis/used-redis.ts";
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
  const address = await knownRedisAddress(config, env);
  const redis = address && (await openUsedRedis(address, { clock, log }));
  try {
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
    await redis?.client.close();
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
