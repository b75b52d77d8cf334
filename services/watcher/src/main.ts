import process from "node:process";
import { setFlagsFromString } from "node:v8";
import { runService } from "@fleet-reloader/runtime/lifecycle";
import { startWatcher } from "./wire.ts";

/*
 * A watcher of a thousand clusters is never so idle that V8 gives memory back of its own accord. So each of its collections
 * compacts, and one comes whenever the heap has grown by a fifth (ADR 0006).
 */
setFlagsFromString("--optimize-for-size");
setFlagsFromString("--heap-growing-percent=20");

await runService(() => startWatcher({ args: process.argv.slice(2), env: process.env }));
