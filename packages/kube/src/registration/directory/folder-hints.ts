import { watch } from "node:fs";

/** Calls back when something may have changed in a folder. A late or missing hint only costs time. */
export type WatchFolder = (folder: string, onHint: () => void) => { close(): void };

/** Uses inotify and the like. Where it does not work (limits, network file systems), there are no hints. */
export const watchFolder: WatchFolder = (folder, onHint) => {
  try {
    const watcher = watch(folder, { persistent: false }, onHint);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return { close: () => undefined };
  }
};
