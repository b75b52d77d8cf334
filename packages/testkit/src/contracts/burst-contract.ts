import { describe, expect, test } from "vitest";
import {
  atOnce,
  change,
  done,
  maxWaitMs,
  putBackOnce,
  type QueueUnderTest,
  quietPeriodMs,
  recordRuns,
} from "./queue-under-test.ts";

/** When the burst began that a change belongs to: what the maximum wait counts from. */
export function burstContract(start: () => Promise<QueueUnderTest>): void {
  describe("a burst", () => {
    // Between the moment a run is taken up and the moment it says so lies one whose time is over.
    test("begins with a change during a run, and does not run at once", async () => {
      await using bed = await start();
      const isRead = Promise.withResolvers<void>();
      const runs = recordRuns(bed, async (_, count) => {
        if (count === 1) await isRead.promise;
        return done;
      });
      const short = { quietPeriodMs: 400, maxWaitMs: 400 };
      await bed.queue.add([change("api", short)]);
      await bed.until("it runs", () => runs.length === 1);
      const addedAt = bed.now();
      await bed.queue.add([change("api", short)]);
      isRead.resolve();
      await bed.until("it runs again", () => runs.length === 2);
      expect((runs[1]?.at ?? 0) - addedAt).toBeGreaterThanOrEqual(short.quietPeriodMs - 20);
    });

    // What it waits for may be long over: its workload keeps changing, and no change may find the end of the quiet.
    test("of a request that was put back is its own, and ends", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, putBackOnce(60_000));
      await bed.queue.add([atOnce()]);
      await bed.until("it was put back", () => runs.length === 1);
      // Longer than its changes may wait.
      await bed.elapse(maxWaitMs + 100);
      const begun = bed.now();
      while (runs.length === 1 && bed.now() - begun < 10 * maxWaitMs) {
        await bed.queue.add([change()]);
        await bed.elapse(100);
      }
      expect((runs[1]?.at ?? 0) - begun).toBeGreaterThanOrEqual(quietPeriodMs - 20);
      expect((runs[1]?.at ?? 0) - begun).toBeLessThan(10 * maxWaitMs);
    });
  });
}
