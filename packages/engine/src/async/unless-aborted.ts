import { Fault } from "@fleet-reloader/domain/fault";

/**
 * Waits for work that may never end, such as an answer of an absent Redis, or work that others wait for too. A caller that is stopped
 * stops waiting. The work itself goes on.
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
