import { Fault } from "@fleet-reloader/domain/fault";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";

/**
 * Runs several parts of one work, each until its signal is aborted. When one fails, or ends by itself, the others are ended too, and the promise
 * rejects with that failure once all have ended. So nothing runs beside a restart of the same work.
 */
export async function runTogether(
  outer: AbortSignal,
  parts: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  using life = linkedAbort(outer);
  const { signal } = life;
  const running = parts.map(async (part) => {
    try {
      await part(signal);
      if (!signal.aborted)
        throw new Fault("engine.invariant", "a part of the work on a cluster ended by itself");
    } finally {
      life.abort();
    }
  });
  try {
    await Promise.all(running);
  } finally {
    await Promise.allSettled(running);
  }
}
