import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import type { Addition } from "@fleet-reloader/engine/ports/workqueue";
import { describe, expect, test } from "vitest";
import { whileInTime } from "../in-time.ts";
import { burstContract } from "./burst-contract.ts";
import { doubtContract } from "./doubt-contract.ts";
import {
  adoption,
  atOnce,
  change,
  done,
  idle,
  maxWaitMs,
  putBackOnce,
  type QueueUnderTest,
  quietPeriodMs,
  recordRuns,
  resumeWindow,
} from "./queue-under-test.ts";
import { waitsContract } from "./waits-contract.ts";
import { workContract } from "./work-contract.ts";

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
      await bed.until("it ran again", () => runs.length >= 2);
      await bed.elapse(300);
      expect([runs.length, runningMost]).toEqual([2, 1]);
    });

    test("that is added after it ran, runs again", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      for (const expected of [1, 2, 3]) {
        await bed.queue.add([atOnce()]);
        await bed.until("it ran", () => runs.length === expected);
        await idle(bed);
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
    test("waits until nothing has changed for the quiet period", () =>
      whileInTime(quietPeriodMs / 2, async (inTime) => {
        await using bed = await start();
        const runs = recordRuns(bed, () => done);
        let last = bed.now();
        inTime();
        for (let count = 0; count < 3; count += 1) {
          last = bed.now();
          await bed.queue.add([change()]);
          await bed.elapse(100);
          inTime();
        }
        await bed.until("it ran", () => runs.length > 0);
        await bed.elapse(quietPeriodMs * 2);
        expect(runs).toHaveLength(1);
        // Wall clocks are read in whole milliseconds.
        expect(runs[0]?.at).toBeGreaterThanOrEqual(last + quietPeriodMs - 20);
      }));

    test("waits no longer than the maximum although changes go on", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => done);
      const added: Added[] = [];
      for (let count = 0; count < 60; count += 1) {
        const begun = bed.now();
        await bed.queue.add([change()]);
        added.push({ begun, held: bed.now() });
        await bed.elapse(100);
      }
      expect(runs.length).toBeGreaterThan(0);
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

    test("leaves a change that waits where it is", () =>
      whileInTime(quietPeriodMs / 2, async (inTime) => {
        await using bed = await start();
        const runs = recordRuns(bed, () => done);
        const begun = bed.now();
        inTime();
        await bed.queue.add([change()]);
        await bed.elapse(100);
        await bed.queue.add([adoption()]);
        inTime();
        await bed.until("it ran", () => runs.length > 0);
        await bed.elapse(quietPeriodMs * 2);
        expect(runs).toHaveLength(1);
        expect(runs[0]?.at).toBeGreaterThanOrEqual(begun + quietPeriodMs - 20);
        expect(runs[0]?.delivery.purpose).toBe("change");
      }));

    // A pause may last an hour; a change within it must not wait for its end, nor move it.
    test("that ends a pause waits beside a change of the same workload", () =>
      whileInTime(quietPeriodMs, async (inTime) => {
        await using bed = await start();
        const runs = recordRuns(bed, () => done);
        const begun = bed.now();
        const resume: Addition = { ...change("api", resumeWindow), purpose: "resume" };
        inTime();
        await bed.queue.add([resume]);
        await bed.queue.add([change()]);
        await bed.queue.add([resume]);
        inTime();
        await bed.until("both ran", () => runs.length === 2);
        await bed.elapse(quietPeriodMs);
        expect(runs.map(({ delivery }) => delivery.purpose)).toEqual(["change", "resume"]);
        expect((runs[1]?.at ?? 0) - begun).toBeGreaterThanOrEqual(resumeWindow.quietPeriodMs - 20);
      }));

    test("that follows a rollout waits beside both, and counts once however often added", async () => {
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
      const runs = recordRuns(bed, putBackOnce(200));
      await bed.queue.add([atOnce()]);
      await bed.until("it came back", () => runs.length === 2);
      expect((runs[1]?.at ?? 0) - (runs[0]?.at ?? 0)).toBeGreaterThanOrEqual(180);
      expect(runs[1]?.delivery.attemptsMade).toBe(0);
    });

    test.each([
      ["kube.conflict", 1],
      ["kube.server-error", 1],
      ["engine.invariant", 1],
      ["engine.write-rewritten", 1],
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
        throw new Fault("request.invalid", "simulated");
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
        if (count === 1) throw new Fault("kube.throttled", "simulated", { retryAfterMs: 600_000 });
        return done;
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it ran", () => runs.length === 1);
      await idle(bed);
      await bed.queue.add([change()]);
      await bed.until("it came back", () => runs.length === 2);
      await bed.elapse(quietPeriodMs * 2);
      expect(runs).toHaveLength(2);
    });
  });

  burstContract(start);
  doubtContract(start);
  waitsContract(start);
  workContract(start);
}
