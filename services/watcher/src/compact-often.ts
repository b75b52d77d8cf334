import { setFlagsFromString } from "node:v8";

/**
 * A watcher of a thousand clusters is never so idle that V8 gives memory back of its own accord. So each of its collections
 * compacts, and one comes whenever the heap has grown by a fifth (ADR 0006). Not before the configuration is read: a command
 * that only prints something has no use for it, and V8's background work at an exit is what may hang (nodejs/node#54918).
 */
export function compactOften(): void {
  setFlagsFromString("--optimize-for-size");
  setFlagsFromString("--heap-growing-percent=20");
}
