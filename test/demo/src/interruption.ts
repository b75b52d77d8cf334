import process from "node:process";

/**
 * Aborted by Ctrl-C, by a polite kill, by a closed terminal, and when nobody reads our output any more. A second Ctrl-C
 * does not wait for anything.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort();
  process.once("SIGTERM", abort).once("SIGHUP", abort);
  process.on("SIGINT", () => (controller.signal.aborted ? process.exit(1) : abort()));
  process.stdout.on("error", abort);
  return controller.signal;
}
