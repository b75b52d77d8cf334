import process from "node:process";
import { runService } from "@fleet-reloader/runtime/process/lifecycle";
import { startStandalone } from "./wire.ts";

await runService(() => startStandalone({ args: process.argv.slice(2), env: process.env }));
