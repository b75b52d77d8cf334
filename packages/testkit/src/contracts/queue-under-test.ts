import type { HeldRequests } from "@fleet-reloader/engine/admission/held-requests";
import type { Work } from "@fleet-reloader/engine/admission/work";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Request, Result } from "@fleet-reloader/engine/ports/request";
import type { Addition, Delivery, Handler, Workqueue } from "@fleet-reloader/engine/ports/workqueue";

export interface QueueUnderTest extends AsyncDisposable {
  readonly queue: Workqueue;
  readonly held: HeldRequests;
  /** What there is for workers to do, now or within so long. */
  readonly work: (horizonMs: number) => Promise<Work>;
  /** From here on requests are taken and handed to this. */
  readonly handle: (handler: Handler) => void;
  /** No worker is left. */
  readonly leave: () => Promise<void>;
  readonly clock: Clock;
  readonly now: () => number;
  readonly elapse: (ms: number) => Promise<void>;
  /** Lets time pass until the condition holds; rejects when it does not for long. */
  readonly until: (what: string, condition: () => boolean | Promise<boolean>) => Promise<void>;
}

export interface Run {
  readonly name: string;
  readonly at: number;
  readonly delivery: Delivery;
}

/** Long enough that a busy machine does not take it for quiet while a test adds its next change. */
export const quietPeriodMs = 1500;
export const maxWaitMs = 3600;
export const resumeWindow = { quietPeriodMs: 4500, maxWaitMs: 4500 };
/** What a worker takes to start. */
export const horizonMs = 60_000;
export const done: Result = { type: "done", outcome: "unchanged" };

export function requestFor(name: string): Request {
  return { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name } };
}

export function change(name = "api", window = { quietPeriodMs, maxWaitMs }): Addition {
  return { request: requestFor(name), ...window, purpose: "change" };
}

export function atOnce(name = "api"): Addition {
  return change(name, { quietPeriodMs: 0, maxWaitMs: 0 });
}

export function adoption(name = "api"): Addition {
  return { ...atOnce(name), purpose: "adoption" };
}

/** Takes requests, writes down when each ran, and answers as told. */
export function recordRuns(
  bed: QueueUnderTest,
  answer: (run: Run, count: number) => Promise<Result> | Result,
) {
  const runs: Run[] = [];
  bed.handle(async ({ workload }, delivery) => {
    const run = { name: workload.name, at: bed.now(), delivery };
    runs.push(run);
    return await answer(run, runs.length);
  });
  return runs;
}

/** Adds a request, which runs until it is let go. */
export async function runUntilLetGo(bed: QueueUnderTest) {
  const gate = Promise.withResolvers<void>();
  const runs = recordRuns(bed, async () => {
    await gate.promise;
    return done;
  });
  await bed.queue.add([atOnce()]);
  await bed.until("it runs", () => runs.length === 1);
  return { runs, letGo: () => gate.resolve() };
}

/** Waits until no request is handled. Only then a run is over, and what it left is in the queue. */
export async function idle(bed: QueueUnderTest): Promise<void> {
  await bed.until("no request is handled", async () => (await bed.work(horizonMs)).active === 0);
}

/** Puts the first run back for so long; all others are done. */
export function putBackOnce(afterMs: number): (run: Run, count: number) => Result {
  return (_, count) => (count === 1 ? { type: "again", afterMs, reason: "Test" } : done);
}
