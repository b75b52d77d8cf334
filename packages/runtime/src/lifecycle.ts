import { asFault } from "@fleet-reloader/domain/fault";
import type { Log } from "@fleet-reloader/engine/log";
import { exitCodeOf } from "./exit-code.ts";

/** Things to end, in the reverse of the order in which they were begun. */
export class Shutdown {
  readonly #steps: { readonly name: string; readonly end: () => Promise<void> | void }[] = [];

  add(name: string, end: () => Promise<void> | void): void {
    this.#steps.push({ name, end });
  }

  /** Ends everything; one step that fails does not keep the others from being ended. */
  async run(log: Log): Promise<void> {
    for (const { name, end } of this.#steps.reverse()) {
      try {
        await end();
      } catch (error) {
        log.error({ step: name, err: asFault(error).message }, "could not be ended cleanly");
      }
    }
  }
}

/** A service as `runService` needs it. */
export interface RunningService {
  readonly log: Log;
  stop(): Promise<void>;
}

/**
 * Runs a service until SIGTERM or SIGINT: drains, exits 0. A later second signal ends at once, and so does the first one while the
 * service starts, which may wait for Redis for ever: nothing has been taken up yet. A start that cannot succeed says why, each problem
 * on its own line, and exits 78 (configuration) or 1.
 */
export async function runService(start: () => Promise<RunningService>): Promise<void> {
  let service: RunningService | undefined;
  let stoppingSince: number | undefined;
  const stop = (signal: string) => {
    if (service === undefined) process.exit(0);
    // Supervisors and terminals may signal the group and the process at once: that is one wish, not impatience.
    if (stoppingSince !== undefined && performance.now() - stoppingSince > 1000) process.exit(1);
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    void end(service, signal);
  };
  // Before the start: the first process of a container ignores what it has no handler for.
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  service = await started(start);
  const { log } = service;
  process.on("unhandledRejection", (reason) => {
    log.error({ reason: "engine.invariant", err: asFault(reason).stack }, "a failure nobody waited for");
  });
}

async function started(start: () => Promise<RunningService>): Promise<RunningService> {
  try {
    return await start();
  } catch (error) {
    const fault = asFault(error);
    const isOurs = fault.class === "misconfigured";
    process.stderr.write(isOurs ? `${fault.message}\n` : `${fault.stack ?? fault.message}\n`);
    process.exit(exitCodeOf(fault));
  }
}

async function end(service: RunningService, signal: string): Promise<never> {
  const { log } = service;
  log.info({ signal }, "stopping");
  try {
    await service.stop();
  } catch (error) {
    log.error({ err: asFault(error).stack }, "could not be stopped cleanly");
    process.exit(1);
  }
  log.info({}, "stopped");
  process.exit(0);
}
