import { setFlagsFromString } from "node:v8";

/**
 * Makes each garbage collection compact, and runs one whenever the heap has grown by a fifth (ADR 0006). A watcher of a thousand clusters is
 * never idle enough for V8 to return memory by itself. Call it after the configuration is read: a command that only prints something does not
 * need it, and background work of V8 may hang an exit (nodejs/node#54918).
 */
export function compactOften(): void {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--heap-growing-percent=20");
}
