import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/clock";
import { type HeldRequests, type IsStillHeld, releaseEnded } from "@fleet-reloader/engine/held-requests";
import type { Again, Request, Result } from "@fleet-reloader/engine/request";
import type { Work } from "@fleet-reloader/engine/work";
import type { Addition, Delivery, Handler, Workqueue } from "@fleet-reloader/engine/workqueue";
import { describe, expect, test } from "vitest";
import { CollectedLog } from "../memory/collected-log.ts";

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
  /** Lets time pass until the condition holds; rejects when it does not within some seconds. */
  readonly until: (what: string, condition: () => boolean) => Promise<void>;
}

interface Run {
  readonly name: string;
  readonly at: number;
  readonly delivery: Delivery;
}

/** Long enough that a busy machine does not take it for quiet while a test adds its next change. */
const quietPeriodMs = 500;
const maxWaitMs = 1200;
const resumeWindow = { quietPeriodMs: 1500, maxWaitMs: 1500 };
/** What a worker takes to start. */
const horizonMs = 60_000;
const done: Result = { type: "done", outcome: "unchanged" };

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

/** When an addition was begun, and when the queue held it: somewhere in between it counted. */
interface Added {
  readonly begun: number;
  readonly held: number;
}

/** One for each burst, and one more for each maximum wait that it goes on; a machine that stalls ends a burst. */
function runsAllowed(added: readonly Added[]): number {
  const starts = added.filter(
    ({ held }, i) => i === 0 || held - (added[i - 1]?.begun ?? 0) > quietPeriodMs - 100,
  );
  return starts.reduce((sum, start, i) => {
    const next = starts[i + 1]?.begun ?? Number.POSITIVE_INFINITY;
    const last = added.findLast(({ begun }) => begun < next) ?? start;
    return sum + 1 + Math.floor((last.held - start.begun + 100) / maxWaitMs);
  }, 0);
}

/** What every workqueue promises. `start` makes an empty one. */
export function workqueueContract(start: () => Promise<QueueUnderTest>): void {
  describe("a request", () => {
    test("that is added many times before it runs, runs once", async () => {
      await using bed = await start();
      for (let count = 0; count < 5; count += 1) await bed.queue.add([atOnce(), atOnce(), atOnce("web")]);
      const runs = recordRuns(bed, () => done);
      await bed.until("both ran", () => runs.length >= 2);
      await bed.elapse(200);
      expect(runs.map(({ name }) => name).sort()).toEqual(["api", "web"]);
    });

    // The run under way may have read before the change.
    test("that is added while it runs, runs again, once, and never twice at a time", async () => {
      await using bed = await start();
      const gate = Promise.withResolvers<void>();
      let running = 0;
      let runningMost = 0;
      const runs = recordRuns(bed, async (_, count) => {
        running += 1;
        runningMost = Math.max(runningMost, running);
        if (count === 1) await gate.promise;
        running -= 1;
        return done;
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it runs", () => runs.length === 1);
      for (let count = 0; count < 3; count += 1) await bed.queue.add([atOnce()]);
      await bed.elapse(200);
      expect(runs).toHaveLength(1);
      gate.resolve();
      await bed.until("it ran again", () => runs.length === 2);
      await bed.elapse(300);
      expect([runs.length, runningMost]).toEqual([2, 1]);
    });

    test("that is added after it ran, runs again", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      for (const expected of [1, 2, 3]) {
        await bed.queue.add([atOnce()]);
        await bed.until("it ran", () => runs.length === expected);
        await bed.elapse(50);
      }
      expect(runs).toHaveLength(3);
    });

    test.each(["123", "a.b", "0", "a-b", "constructor", "a".repeat(253)])(
      "may be for a workload called %s",
      async (name) => {
        await using bed = await start();
        const runs = recordRuns(bed, () => done);
        await bed.queue.add([atOnce(name), atOnce(name)]);
        await bed.until("it ran", () => runs.length > 0);
        expect(runs.map((run) => run.name)).toEqual([name]);
      },
    );
  });

  describe("a change", () => {
    test("waits until nothing has changed for the quiet period", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      let last = bed.now();
      for (let count = 0; count < 3; count += 1) {
        last = bed.now();
        await bed.queue.add([change()]);
        await bed.elapse(100);
      }
      await bed.until("it ran", () => runs.length > 0);
      await bed.elapse(quietPeriodMs * 2);
      expect(runs).toHaveLength(1);
      // Wall clocks are read in whole milliseconds.
      expect(runs[0]?.at).toBeGreaterThanOrEqual(last + quietPeriodMs - 20);
    });

    test("waits no longer than the maximum although changes go on", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      const added: Added[] = [];
      for (let count = 0; count < 30; count += 1) {
        const begun = bed.now();
        await bed.queue.add([change()]);
        added.push({ begun, held: bed.now() });
        await bed.elapse(100);
      }
      expect(runs.length).toBeGreaterThanOrEqual(2);
      await bed.elapse(quietPeriodMs * 2);
      expect(runs.length).toBeLessThanOrEqual(runsAllowed(added));
    });

    test("is one burst for each workload", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      await bed.queue.add([change("api"), change("web", { quietPeriodMs: 50, maxWaitMs: 50 })]);
      await bed.until("both ran", () => runs.length === 2);
      expect(runs.map(({ name }) => name)).toEqual(["web", "api"]);
    });
  });

  describe("an adoption", () => {
    test("runs at once, and says that it is one", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      await bed.queue.add([adoption(), atOnce("web")]);
      await bed.until("both ran", () => runs.length === 2);
      const purposes = Object.fromEntries(runs.map(({ name, delivery }) => [name, delivery.purpose]));
      expect(purposes).toEqual({ api: "adoption", web: "change" });
    });

    test("leaves a change that waits where it is", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      const begun = bed.now();
      await bed.queue.add([change()]);
      await bed.elapse(100);
      await bed.queue.add([adoption()]);
      await bed.until("it ran", () => runs.length > 0);
      await bed.elapse(quietPeriodMs * 2);
      expect(runs).toHaveLength(1);
      expect(runs[0]?.at).toBeGreaterThanOrEqual(begun + quietPeriodMs - 20);
      expect(runs[0]?.delivery.purpose).toBe("change");
    });

    // A pause may last an hour; a change within it must not wait for its end, nor move it.
    test("that ends a pause waits beside a change of the same workload", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      const begun = bed.now();
      const resume: Addition = { ...change("api", resumeWindow), purpose: "resume" };
      await bed.queue.add([resume]);
      await bed.queue.add([change()]);
      await bed.queue.add([resume]);
      await bed.until("both ran", () => runs.length === 2);
      await bed.elapse(quietPeriodMs);
      expect(runs.map(({ delivery }) => delivery.purpose)).toEqual(["change", "resume"]);
      expect((runs[1]?.at ?? 0) - begun).toBeGreaterThanOrEqual(resumeWindow.quietPeriodMs - 20);
    });

    test("that follows a rollout waits beside both, and counts as one however often it is added", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      const begun = bed.now();
      const follow: Addition = { ...change("api", resumeWindow), purpose: "follow" };
      await bed.queue.add([follow, { ...follow, purpose: "resume" }]);
      await bed.queue.add([change(), follow]);
      await bed.until("all three ran", () => runs.length === 3);
      await bed.elapse(quietPeriodMs);
      expect(runs.map(({ delivery }) => delivery.purpose).sort()).toEqual(["change", "follow", "resume"]);
      const followed = runs.find(({ delivery }) => delivery.purpose === "follow");
      expect((followed?.at ?? 0) - begun).toBeGreaterThanOrEqual(resumeWindow.quietPeriodMs - 20);
    });

    // A thousand rollouts may be looked at in one second; a change in that second rolls first.
    test("that follows a rollout gives way to all that is due", async () => {
      await using bed = await start();
      const many = Array.from({ length: 30 }, (_, i) => `followed-${i}`);
      await bed.queue.add(many.map((name): Addition => ({ ...atOnce(name), purpose: "follow" })));
      await bed.queue.add(many.map((name) => atOnce(`changed-${name}`)));
      const runs = recordRuns(bed, () => done);
      await bed.until("all ran", () => runs.length === 60);
      const firsts = runs.slice(0, 30).map(({ delivery }) => delivery.purpose);
      expect(new Set(firsts)).toEqual(new Set(["change"]));
    });

    // What it finds it puts back as a change: so does the reconciler.
    test("that adds a change while it runs makes it run again after the quiet period", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, async (run) => {
        if (run.delivery.purpose === "adoption") await bed.queue.add([change()]);
        return done;
      });
      await bed.queue.add([adoption()]);
      await bed.until("the change ran", () => runs.length === 2);
      const [first, second] = runs;
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(quietPeriodMs - 20);
      expect(second?.delivery.purpose).toBe("change");
    });
  });

  describe("a run", () => {
    test("that asks to come back later does, and no attempt is counted", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, (_, count) =>
        count === 1 ? { type: "again", afterMs: 200, reason: "Test" } : done,
      );
      await bed.queue.add([atOnce()]);
      await bed.until("it came back", () => runs.length === 2);
      expect((runs[1]?.at ?? 0) - (runs[0]?.at ?? 0)).toBeGreaterThanOrEqual(180);
      expect(runs[1]?.delivery.attemptsMade).toBe(0);
    });

    test.each([
      ["kube.conflict", 1],
      ["kube.server-error", 1],
      ["engine.invariant", 1],
      ["kube.throttled", 0],
      ["engine.aborted", 0],
    ] as const satisfies readonly (readonly [FaultCode, number])[])(
      "that ends in %s comes back with %d attempts counted",
      async (code, attempts) => {
        await using bed = await start();
        const runs = recordRuns(bed, (_, count) => {
          if (count === 1) throw new Fault(code, "simulated", { retryAfterMs: 20 });
          return done;
        });
        await bed.queue.add([atOnce()]);
        await bed.until("it came back", () => runs.length === 2);
        expect(runs[1]?.delivery.attemptsMade).toBe(attempts);
      },
    );

    test("that no repeat can cure does not come back by itself, but for a new change", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => {
        throw new Fault("engine.write-rewritten", "simulated");
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it ran", () => runs.length === 1);
      await bed.elapse(500);
      expect(runs).toHaveLength(1);
      await bed.queue.add([atOnce()]);
      await bed.until("it ran again", () => runs.length === 2);
    });

    test("that waits to be tried again is one with a change that comes meanwhile", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, (_, count) => {
        if (count === 1) throw new Fault("kube.throttled", "simulated", { retryAfterMs: 150 });
        return done;
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it ran", () => runs.length === 1);
      await bed.queue.add([change()]);
      await bed.until("it came back", () => runs.length === 2);
      await bed.elapse(quietPeriodMs * 2);
      expect(runs).toHaveLength(2);
    });
  });

  describe("work", () => {
    test("is what is due now or within the horizon, with no worker there to make it due", async () => {
      await using bed = await start();
      expect((await bed.work(horizonMs)).work).toBe(0);
      await bed.queue.add([
        atOnce(),
        change("web"),
        change("later", { quietPeriodMs: 90_000, maxWaitMs: 90_000 }),
      ]);
      await bed.queue.add([{ ...change("api", resumeWindow), purpose: "resume" }]);
      expect((await bed.work(horizonMs)).work).toBe(3);
      expect((await bed.work(120_000)).work).toBe(4);
      await bed.elapse(resumeWindow.quietPeriodMs + 100);
      expect((await bed.work(1)).work).toBe(3);
    });

    test("is also what runs, and nothing when all is done", async () => {
      await using bed = await start();
      const gate = Promise.withResolvers<void>();
      const runs = recordRuns(bed, async () => {
        await gate.promise;
        return done;
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it runs", () => runs.length === 1);
      expect(await bed.work(horizonMs)).toMatchObject({ work: 1, active: 1 });
      gate.resolve();
      await bed.elapse(200);
      expect((await bed.work(horizonMs)).work).toBe(0);
    });
  });

  describe("a run that is held", () => {
    const frozen: Again = { type: "again", afterMs: 30_000, reason: "Frozen", hold: { reason: "Frozen" } };

    /** One request that a worker has put back like this; the worker is gone. */
    async function hold(bed: QueueUnderTest, how: Again = frozen): Promise<void> {
      const runs = recordRuns(bed, () => how);
      await bed.queue.add([atOnce()]);
      await bed.until("it ran", () => runs.length === 1);
      await bed.elapse(200);
      await bed.leave();
    }

    /** Longer than a busy machine takes to look. */
    const holdMs = 4000;

    const release = async (bed: QueueUnderTest, isStillHeld?: IsStillHeld) =>
      await releaseEnded(await bed.held.list(), { ...bed, log: new CollectedLog() }, isStillHeld);

    test("is no work while it is held, whoever says so and however late it is", async () => {
      await using bed = await start();
      await hold(bed, { ...frozen, afterMs: 300 });
      await bed.queue.add([atOnce("web")]);
      await bed.elapse(400);
      await release(bed, async () => true);
      expect(await bed.work(horizonMs)).toMatchObject({ work: 1, held: 1 });
      expect(await bed.held.list()).toMatchObject([{ request: requestFor("api"), reason: "Frozen" }]);
    });

    test("is listed with all others, and with those whose time comes in between", async () => {
      await using bed = await start();
      await hold(bed);
      const [one] = await bed.held.list();
      const againAtMs = one?.againAtMs ?? 0;
      expect(await bed.held.listDue(againAtMs - 1, againAtMs)).toEqual([one]);
      expect(await bed.held.listDue(againAtMs, againAtMs + 9999)).toEqual([]);
      expect(await bed.held.listDue(0, againAtMs - 1)).toEqual([]);
    });

    test("is work at once when somebody knows that the hold is over, and runs", async () => {
      await using bed = await start();
      await hold(bed);
      const asked: string[] = [];
      await release(bed, async ({ workload }, reason) => {
        asked.push(`${workload.name} ${reason}`);
        return false;
      });
      expect(asked).toEqual(["api Frozen"]);
      expect(await bed.work(horizonMs)).toMatchObject({ work: 1, held: 0 });
      const runs = recordRuns(bed, () => done);
      await bed.until("it ran", () => runs.length === 1);
      expect(runs[0]?.delivery).toMatchObject({ attemptsMade: 0, purpose: "change" });
      expect(await bed.held.list()).toEqual([]);
    });

    test.each([
      ["its end", (untilMs: number): Again => ({ ...frozen, hold: { reason: "Frozen", untilMs } })],
      ["the time it asked for, where nobody knows,", (): Again => ({ ...frozen, afterMs: holdMs })],
    ] as const)("is work after %s", async (_, how) => {
      await using bed = await start();
      await hold(bed, how(bed.now() + holdMs));
      await release(bed);
      expect((await bed.work(horizonMs)).work).toBe(0);
      await bed.elapse(holdMs + 100);
      await release(bed);
      expect(await bed.work(horizonMs)).toMatchObject({ work: 1, held: 0 });
    });

    test("comes back by itself while a worker is there, and is held no more when it is taken up", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, (_, count) => (count === 1 ? { ...frozen, afterMs: 200 } : done));
      await bed.queue.add([atOnce()]);
      await bed.until("it ran again", () => runs.length === 2);
      await bed.elapse(100);
      expect(await bed.held.list()).toEqual([]);
      expect((await bed.work(horizonMs)).work).toBe(0);
    });

    test("and changed meanwhile waits for quiet, although its hold is over", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, (_, count) => (count === 1 ? frozen : done));
      await bed.queue.add([atOnce()]);
      await bed.until("it is held", () => runs.length === 1);
      await bed.elapse(100);
      const changedAt = bed.now();
      await bed.queue.add([change()]);
      await release(bed, async () => false);
      await bed.until("it ran again", () => runs.length === 2);
      expect((runs[1]?.at ?? 0) - changedAt).toBeGreaterThanOrEqual(quietPeriodMs - 20);
    });

    // The change may be one that the hold does not concern: a worker has to look.
    test("is looked at again when its workload changes, and only once", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, (_, count) => (count === 1 ? frozen : done));
      await bed.queue.add([atOnce()]);
      await bed.until("it is held", () => runs.length === 1);
      await bed.elapse(100);
      await bed.queue.add([change()]);
      await bed.until("it ran again", () => runs.length === 2);
      await release(bed, async () => false);
      await bed.elapse(quietPeriodMs);
      expect(runs).toHaveLength(2);
      expect(await bed.held.list()).toEqual([]);
    });
  });
}
