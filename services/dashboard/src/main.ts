import process from "node:process";
import { runService } from "@fleet-reloader/runtime/process/lifecycle";
import { startHubDashboard } from "./wire.ts";

await runService(() => startHubDashboard({ args: process.argv.slice(2), env: process.env }));
