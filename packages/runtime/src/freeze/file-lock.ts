import { open, rm, stat } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { Fault } from "@fleet-reloader/domain/fault";

/** A write takes some milliseconds. */
const lockPauseMs = 20;
const lockPatienceMs = 20_000;
/** A lock that is older was left by a dead process. */
const lockMaxMs = 10_000;

/** Runs the work while no other process, and no other call, works on the same file. Faults with `config.invalid` when the others do not finish. */
export async function whileLocked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await takeLock(lock);
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  const deadline = performance.now() + lockPatienceMs;
  while (!(await isLockMade(lock))) {
    if (await isLeft(lock)) await rm(lock, { force: true });
    else if (performance.now() < deadline) await wait(lockPauseMs);
    else throw new Fault("config.invalid", `${lock}: others write there without end; try again`);
  }
}

/** Whether this call created the lock: only one of several can. */
async function isLockMade(lock: string): Promise<boolean> {
  try {
    const made = await open(lock, "wx");
    await made.close();
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function isLeft(lock: string): Promise<boolean> {
  return await stat(lock).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > lockMaxMs,
    () => false,
  );
}
