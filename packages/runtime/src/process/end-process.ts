import process from "node:process";

/** A service's output that is not read by then is given up: a pipe that nobody reads must not keep a service alive. */
const flushMs = 1000;

/**
 * Ends this process with an exit code, after what it wrote to its outputs has been taken, or after `flushMaxMs` (infinite:
 * however long its reader pauses). Every way out leads here. `process.exit` may hang for ever: it waits for V8's background
 * threads, one of which may wait for a collection that the main thread has to make
 * (https://github.com/nodejs/node/issues/54918). To be replaced by another program ends all threads in the kernel (man 2
 * execve), and waits for none. The program that replaces it is Node again, since the image holds no other; it exits at once,
 * with no background work that its own exit could wait for.
 *
 * Listeners of the `exit` event are called, as `process.exit` does. Where a process cannot be replaced (no such system call,
 * or not permitted), it exits.
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

/** Pipes are written in the background; an empty write is taken after all that came before it, or fails with it. */
function flushed(output: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    output.once("error", () => resolve());
    output.write("", () => resolve());
  });
}

function replaceProcess(code: number): never {
  // NODE_OPTIONS and the like are for the process that ends.
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
    // Then it has to do what may hang.
  }
  process.exit(code);
}
