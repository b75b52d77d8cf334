import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { type CommandProcess, defineCommand } from "../frame/command.ts";
import { askFleet } from "../questions/asked-fleet.ts";
import { warnOfEmptyAnswer } from "../questions/empty-answer.ts";
import { openServer } from "../server/open-server.ts";
import { historyConfig } from "./history-config.ts";
import { checkedHistoryQuery, readHistory, readServedHistory } from "./read-history.ts";

export const historyCommand = defineCommand({
  name: "history",
  purpose: "Print every change, decision, roll and outcome, as JSON lines, oldest first",
  details: "The fields are in docs/reference/history.md.",
  examples: [
    "fleet-reloader history --redis-url redis://127.0.0.1:6379 --since 2h",
    "fleet-reloader history --redis-url redis://127.0.0.1:6379 --namespace shop --name api",
  ],
  flags: historyConfig,
  async run({ config }, io) {
    const log = createLog({ service: "cli", level: "error", format: "json" });
    const clock = systemClock;
    const { limit } = checkedHistoryQuery(config, clock.now());
    let count = 0;
    let last = "";
    const noted = async function* (lines: AsyncIterable<string>) {
      for await (const line of lines) {
        count += 1;
        last = line;
        yield line;
      }
    };
    const write = (lines: AsyncIterable<string>) =>
      pipeline(Readable.from(noted(lines)), io.stdout, { end: false });
    const client = openServer(config, io);
    if (client === undefined) await write(readHistory(config, { clock, env: io.env, log }));
    else await readServedHistory(config, { client, write });
    if (count >= limit) warnOfLimit(count, last, io);
    const { cluster, inNamespace: namespace, object: name } = config;
    if (count === 0 && [cluster, namespace, name].some((given) => given !== ""))
      await askFleet(config, io, (fleet) => warnOfEmptyAnswer({ cluster, namespace, name }, fleet, io));
    return 0;
  },
});

/** Says that the newest lines may be missing, and how to go on. */
function warnOfLimit(count: number, last: string, { stderr }: Pick<CommandProcess, "stderr">): void {
  const [, id = "ID, with the id of the last line"] = /^\{"id":"([\d-]+)"/.exec(last) ?? [];
  stderr.write(
    `${count} ${count === 1 ? "line was" : "lines were"} read, as many as --limit allows: there may be newer ones; go on with --since ${id}\n`,
  );
}
