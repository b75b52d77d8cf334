import process from "node:process";
import { runService } from "@fleet-reloader/runtime/process/lifecycle";
import { startWatcher } from "./wire.ts";

await runService(() => startWatcher({ args: process.argv.slice(2), env: process.env }));
