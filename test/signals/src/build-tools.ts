import { ensureSignalTool, signalTools } from "./go-tools.ts";

/** Makes promtool and Prometheus ahead of the tests that need them. */
for (const name of signalTools) console.log(await ensureSignalTool(name));
