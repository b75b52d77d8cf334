import { asFault } from "@fleet-reloader/domain/fault";
import { atMost } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { endProcess } from "./end-process.ts";
import { brokenInside, exitCodeOf } from "./exit-code.ts";
import { systemClock } from "./system-clock.ts";
import { allowYoungGrowth } from "./young-generation.ts";

/** A failed start has taken no work, and its reason is logged only after this. */
const unwindMaxMs = 10_000;

/** Things to end, in the reverse order of their start. */
export class Shutdown {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #steps: { readonly name: string; readonly end: () => Promise<void> | void }[] = [];
  /** The step that is ending now. */
  #ending: string | undefined;

  constructor(clock: Pick<Clock, "sleep"> = systemClock) {
    this.#clock = clock;
  }

  add(name: string, end: () => Promise<void> | void): void {
    this.#steps.push({ name, end });
  }

  /** Ends everything; a failing step does not keep the others from ending. */
  async run(log: Log): Promise<void> {
    for (const { name, end } of this.#steps.reverse()) {
      this.#ending = name;
      try {
        await end();
      } catch (error) {
        log.error({ step: name, err: asFault(error).message }, "did not end cleanly");
      }
    }
    this.#ending = undefined;
  }

  /** Ends what a failed start has begun. A step that does not end within 10 s is logged and abandoned: the process ends after this. */
  async unwind(log: Log): Promise<void> {
    await atMost(unwindMaxMs, this.#clock, this.run(log));
    const step = this.#ending;
    if (step !== undefined) log.error({ step, afterMs: unwindMaxMs }, "did not end in time");
  }
}

/** A service as `runService` needs it. */
export interface RunningService {
  readonly log: Log;
  stop(): Promise<void>;
  /** Rejects when something has ended that must run as long as the service. */
  readonly broken: Promise<never>;
}

/** The chart gives a pod 45 s; a stop that takes longer than this will not end by itself. */
const stopMaxMs = 40_000;

/**
 * Runs a service until SIGTERM or SIGINT: drains, exits 0. A later second signal ends it at once, and so does the first one during the start,
 * which may wait for Redis for ever: no work has been taken yet. A start that cannot succeed logs each problem on its own line, and exits 78
 * (configuration) or 1. A service that breaks inside logs why and exits 70: a process that serves nothing must not look healthy.
 */
export async function runService(start: () => Promise<RunningService>): Promise<void> {
  allowYoungGrowth(false);
  let service: RunningService | undefined;
  let stoppingSince: number | undefined;
  const stop = (signal: string) => {
    if (service === undefined) return void endProcess(0);
    // Supervisors and terminals may signal the group and the process at the same time: that counts as one signal.
    if (stoppingSince !== undefined && performance.now() - stoppingSince > 1000) void endProcess(1);
    if (stoppingSince !== undefined) return;
    stoppingSince = performance.now();
    void endService(service, signal);
  };
  // Before the start: the first process of a container ignores signals without a handler.
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  const breaks = createBreaker(() => service?.log);
  process.on("uncaughtException", breaks("an uncaught exception ends the process"));
  process.on("unhandledRejection", breaks("an unhandled rejection ends the process"));
  process.on("beforeExit", () => breaks("the process ends")(new Error("the event loop is empty")));
  service = await started(start);
  service.broken.catch(breaks("the process ends"));
}

/** Logs once why the process cannot go on, and ends it; before there is a log, on standard error. */
function createBreaker(log: () => Log | undefined): (message: string) => (reason: unknown) => void {
  let isBroken = false;
  return (message) => (reason) => {
    // The outputs themselves may be broken.
    if (isBroken) return;
    isBroken = true;
    const { message: why, stack } = reason instanceof Error ? reason : asFault(reason);
    try {
      const to = log();
      if (to === undefined) process.stderr.write(`${message}: ${stack ?? why}\n`);
      else to.error({ reason: "engine.invariant", err: stack ?? why }, message);
    } finally {
      void endProcess(brokenInside);
    }
  };
}

async function started(start: () => Promise<RunningService>): Promise<RunningService> {
  try {
    return await start();
  } catch (error) {
    const fault = asFault(error);
    const isOurs = fault.class === "misconfigured";
    process.stderr.write(isOurs ? `${fault.message}\n` : `${fault.stack ?? fault.message}\n`);
    return await endProcess(exitCodeOf(fault));
  }
}

async function endService(service: RunningService, signal: string): Promise<never> {
  const { log } = service;
  log.info({ signal }, "stopping");
  const late = setTimeout(() => {
    log.error({ afterMs: stopMaxMs }, "did not stop in time");
    void endProcess(1);
  }, stopMaxMs);
  try {
    await service.stop();
  } catch (error) {
    log.error({ err: asFault(error).stack }, "did not stop cleanly");
    return await endProcess(1);
  } finally {
    clearTimeout(late);
  }
  log.info({}, "stopped");
  return await endProcess(0);
}
