import { open, rm, stat, utimes } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** A holder touches its lock this often; one left untouched for six turns belongs to a dead process. */
const TOUCH_EVERY_MS = 5_000;
const STALE_AFTER_MS = 30_000;
const TRY_EVERY_MS = 500;

/**
 * Runs `work` while no other process that asks for the same path runs its own; waits for as long as
 * the holder lives. Age decides, not the holder's process id, so containers may share the folder.
 * When two waiters take over from a dead holder at the same instant both may get in: `work` must
 * stay right then, merely wasteful.
 */
export async function withLock<T>(path: string, onWait: () => void, work: () => Promise<T>): Promise<T> {
  for (let isFirstTry = true; !(await tryTake(path)); isFirstTry = false) {
    if (isFirstTry) onWait();
    if (await isStale(path)) await rm(path, { force: true });
    else await delay(TRY_EVERY_MS);
  }
  const touching = setInterval(() => {
    // A lock that vanished was taken for stale (a suspended machine); the work goes on regardless.
    utimes(path, new Date(), new Date()).catch(() => undefined);
  }, TOUCH_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await rm(path, { force: true });
  }
}

async function tryTake(path: string): Promise<boolean> {
  try {
    await (await open(path, "wx")).close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  const lock = await stat(path).catch(() => undefined);
  return lock !== undefined && Date.now() - lock.mtimeMs > STALE_AFTER_MS;
}
