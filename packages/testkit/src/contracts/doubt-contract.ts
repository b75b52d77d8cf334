import { Fault, type FaultCode } from "@fleet-reloader/domain/fault";
import { describe, expect, test } from "vitest";
import {
  atOnce,
  change,
  done,
  idle,
  putBackOnce,
  type QueueUnderTest,
  type Run,
  recordRuns,
} from "./queue-under-test.ts";

/** Ends the first run with this fault; all others are done. */
function failOnce(code: FaultCode, retryAfterMs: number) {
  return (_: Run, count: number) => {
    if (count === 1) throw new Fault(code, "simulated", { retryAfterMs });
    return done;
  };
}

/** After these an earlier write may still be under way. */
const unknown = ["kube.timeout", "kube.conflict", "engine.aborted"] as const;

/** Which delivery says that an earlier run of the same request may have left a write under way. */
export function doubtContract(start: () => Promise<QueueUnderTest>): void {
  describe("a request is", () => {
    test.each(unknown)("doubtful after a run that ended in %s, and no more once it is done", async (code) => {
      await using bed = await start();
      const runs = recordRuns(bed, failOnce(code, 20));
      await bed.queue.add([atOnce()]);
      await bed.until("it came back", () => runs.length === 2);
      await idle(bed);
      await bed.queue.add([atOnce()]);
      await bed.until("it ran for the next addition", () => runs.length === 3);
      expect(runs.map(({ delivery }) => delivery.isDoubtful)).toEqual([false, true, false]);
    });

    // The API server said no, or was not reached: nothing was written.
    test.each(["kube.throttled", "kube.unreachable"] as const)(
      "not doubtful after a run that ended in %s",
      async (code) => {
        await using bed = await start();
        const runs = recordRuns(bed, failOnce(code, 20));
        await bed.queue.add([atOnce()]);
        await bed.until("it came back", () => runs.length === 2);
        expect(runs[1]?.delivery.isDoubtful).toBe(false);
      },
    );

    test("not doubtful after a run that asked to come back later", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, putBackOnce(50));
      await bed.queue.add([atOnce()]);
      await bed.until("it came back", () => runs.length === 2);
      expect(runs[1]?.delivery.isDoubtful).toBe(false);
    });

    test("still doubtful after a run that asked to come back later", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, (_, count) => {
        if (count === 1) throw new Fault("engine.aborted", "simulated");
        return count === 2 ? { type: "again", afterMs: 50, reason: "Test" } : done;
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it came back twice", () => runs.length === 3);
      expect(runs.map(({ delivery }) => delivery.isDoubtful)).toEqual([false, true, true]);
    });

    // The change moves the entry that waits. It makes no new one.
    test.each(["kube.timeout", "engine.aborted"] as const)(
      "doubtful after %s also when a change comes before it is tried again",
      async (code) => {
        await using bed = await start();
        const runs = recordRuns(bed, failOnce(code, 10_000));
        await bed.queue.add([atOnce()]);
        await bed.until("it ran", () => runs.length === 1);
        await idle(bed);
        await bed.queue.add([change()]);
        await bed.until("it came back", () => runs.length === 2);
        expect(runs[1]?.delivery.isDoubtful).toBe(true);
      },
    );

    // The change runs as a request of its own after the one that failed is done.
    test.each(unknown)("doubtful after %s also when a change came while it ran", async (code) => {
      await using bed = await start();
      const gate = Promise.withResolvers<void>();
      const runs = recordRuns(bed, async (run, count) => {
        if (count === 1) await gate.promise;
        return failOnce(code, 20)(run, count);
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it runs", () => runs.length === 1);
      await bed.queue.add([atOnce()]);
      gate.resolve();
      await bed.until("both ran", () => runs.length === 3);
      expect(runs.map(({ delivery }) => delivery.isDoubtful)).toEqual([false, true, false]);
    });
  });
}
