import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createLog } from "@fleet-reloader/runtime/log/pino-log";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { defineCommand } from "../frame/command.ts";
import { historyConfig } from "./history-config.ts";
import { readHistory } from "./read-history.ts";

export const historyCommand = defineCommand({
  name: "history",
  purpose: "Print every change, decision, roll and outcome, as JSON lines, oldest first",
  details: "The fields are in docs/reference/history.md.",
  examples: [
    "fleet-reloader history --redis-url redis://127.0.0.1:6379 --since 2h",
    "fleet-reloader history --redis-url redis://127.0.0.1:6379 --namespace shop --name api",
  ],
  flags: historyConfig,
  async run({ config }, { env, stdout }) {
    const log = createLog({ service: "cli", level: "error", format: "json" });
    const lines = readHistory(config, { clock: systemClock, env, log });
    await pipeline(Readable.from(lines), stdout, { end: false });
    return 0;
  },
});
