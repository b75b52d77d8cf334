import process from "node:process";
import { runService } from "@fleet-reloader/runtime/process/lifecycle";
import { startWorker } from "./wire.ts";

await runService(() => startWorker({ args: process.argv.slice(2), env: process.env }));
