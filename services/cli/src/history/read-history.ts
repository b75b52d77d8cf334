import { type HistoryQuery, parseHistoryQuery } from "@fleet-reloader/contracts/history-query";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import type { ConfigOf } from "@fleet-reloader/runtime/config/field";
import { printableJson } from "@fleet-reloader/runtime/log/printable";
import type { CommandProcess } from "../frame/command.ts";
import { fleetRedisAddress } from "../redis/fleet-redis.ts";
import { openUsedRedis } from "../redis/used-redis.ts";
import type { ApiClient } from "../server/api-client.ts";
import type { historyConfig } from "./history-config.ts";

/** Reads the history of any Redis as JSON lines, oldest first, as `/history` of a standalone answers it. */
export async function* readHistory(
  config: Omit<ConfigOf<typeof historyConfig>, "server" | "tokenFile" | "serverCaFile">,
  { clock, env, log }: { readonly clock: Clock; readonly env: CommandProcess["env"]; readonly log: Log },
): AsyncGenerator<string> {
  const query = checkedHistoryQuery(config, clock.now());
  const address = await fleetRedisAddress(config, env);
  const { client, keys } = await openUsedRedis(address, { clock, log, lacks: ": there is no history" });
  try {
    const reader = new HistoryReader({ client, keys });
    for await (const { id, record } of reader.read(query))
      yield `${printableJson(JSON.stringify({ id, ...record }))}\n`;
  } finally {
    await client.close();
  }
}

/** The query that the flags are. Faults with every problem that they have. */
export function checkedHistoryQuery(config: HistoryFlags, nowMs: number): HistoryQuery {
  const query = parseHistoryQuery(historyParameters(config), nowMs);
  if (!("problems" in query)) return query;
  throw new Fault("config.invalid", query.problems.map((problem) => `--${problem}`).join("\n"));
}

type HistoryFlags = Pick<
  ConfigOf<typeof historyConfig>,
  "change" | "cluster" | "inNamespace" | "limit" | "object" | "since"
>;

/** The parameters of `/history` that are given. */
function historyParameters({ since, cluster, inNamespace, object, change, limit }: HistoryFlags) {
  const given = { since, cluster, namespace: inNamespace, name: object, change, limit };
  return new URLSearchParams(Object.entries(given).filter(([, value]) => value !== ""));
}

/** Writes the history as a server of the fleet gives it. */
export async function readServedHistory(
  config: HistoryFlags,
  { client, write }: ServedHistory,
): Promise<void> {
  await client.history(Object.fromEntries(historyParameters(config)), (lines) => write(printed(lines)));
}

interface ServedHistory {
  readonly client: ApiClient;
  readonly write: (lines: AsyncIterable<string>) => Promise<void>;
}

async function* printed(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${printableJson(line)}\n`;
}
