import process from "node:process";

/** Output that is unread by then is dropped: a pipe without a reader must not keep a service alive. */
const flushMs = 1000;

/**
 * Ends this process with an exit code, after its written output was taken, or after `flushMaxMs` (infinite: however long the reader pauses).
 * Every exit uses this. `process.exit` may hang for ever: it waits for V8's background threads, one of which may wait for a collection by the
 * main thread (https://github.com/nodejs/node/issues/54918). Replacing the process by another program ends all threads in the kernel without
 * waiting (man 2 execve). The other program is Node again, since the image has no other; it exits at once, without background work that its own
 * exit could wait for.
 *
 * Listeners of the `exit` event are called, as by `process.exit`. A process that cannot be replaced (no such system call, or not permitted) exits
 * normally.
 */
export async function endProcess(code: number, flushMaxMs: number = flushMs): Promise<never> {
  const pending = [process.stdout, process.stderr].filter((output) => output.writableLength > 0);
  if (pending.length > 0) {
    const late = new Promise<void>((resolve) => {
      if (Number.isFinite(flushMaxMs)) setTimeout(resolve, flushMaxMs);
    });
    await Promise.race([Promise.all(pending.map(flushed)), late]);
  }
  return replaceProcess(code);
}

/** Pipes are written in the background; an empty write completes after all earlier writes, or fails with them. */
function flushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    output.once("error", () => resolve());
    output.write("", () => resolve());
  });
}

function replaceProcess(code: number): never {
  // NODE_OPTIONS and the like belong to the process that ends.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("NODE_")));
  const quiet = ["--single-threaded", "--jitless"];
  process.emit("exit", code);
  try {
    process.execve?.(
      process.execPath,
      [process.execPath, ...quiet, "-e", `process.exit(${Math.trunc(code)})`],
      env,
    );
  } catch {
    // Falls back to the exit that may hang.
  }
  process.exit(code);
}
