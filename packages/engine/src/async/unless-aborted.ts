import { Fault } from "@fleet-reloader/domain/fault";

/**
 * Waits for what may never come, as an answer of a Redis that is away, or what others wait for too: whoever is stopped does not wait
 * on. The work itself is not stopped by that.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, what: string): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(new Fault("engine.aborted", `stopped while waiting for ${what}`));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
