import type { Clock } from "@fleet-reloader/engine/async/clock";
import { linkedAbort } from "@fleet-reloader/engine/async/linked-abort";
import type { ClusterProvider, Registration } from "./registration.ts";

/** The present registrations of a provider, or, when it does not report them in time, the reasons, one per line. */
export type ReadRegistrations =
  | { readonly registrations: readonly Registration[] }
  | { readonly problems: readonly string[] };

export interface ReadRegistrationsOptions {
  readonly clock: Clock;
  /** How long to wait for the provider, in milliseconds. */
  readonly patienceMs: number;
}

/** Reads a provider once: it is stopped after its first answer. Rejects when the signal is aborted, or when the provider rejects. */
export async function readRegistrations(
  provider: ClusterProvider,
  { clock, patienceMs }: ReadRegistrationsOptions,
  signal: AbortSignal,
): Promise<ReadRegistrations> {
  using life = linkedAbort(signal);
  const told = Promise.withResolvers<ReadRegistrations>();
  const run = provider.run(life.signal, (registrations) => told.resolve({ registrations }));
  const late = async (): Promise<ReadRegistrations> => {
    await clock.sleep(patienceMs, life.signal);
    return { problems: provider.notReady };
  };
  const failed = run.then(() => told.promise);
  try {
    return await Promise.race([told.promise, late(), failed]);
  } finally {
    life.abort();
    await run;
  }
}
