import { Fault } from "@fleet-reloader/domain/fault";
import { describe, expect, test } from "vitest";
import { whileInTime } from "../in-time.ts";
import {
  adoption,
  atOnce,
  change,
  done,
  idle,
  type QueueUnderTest,
  quietPeriodMs,
  recordRuns,
  requestFor,
  resumeWindow,
  runUntilLetGo,
} from "./queue-under-test.ts";

/** For which workloads a look is on its way already. */
export function waitsContract(start: () => Promise<QueueUnderTest>): void {
  describe("a workload is waited for", () => {
    const api = requestFor("api");

    test.each([
      ["a change that waits for quiet", change()],
      ["a change that is due", atOnce()],
      ["an adoption", adoption()],
    ])("by %s, until it is done", async (_, addition) => {
      await using bed = await start();
      expect(await bed.queue.waits(api)).toBe(false);
      await bed.queue.add([addition]);
      expect(await bed.queue.waits(api)).toBe(true);
      expect(await bed.queue.waits(requestFor("web"))).toBe(false);
      const seen: boolean[] = [];
      const runs = recordRuns(bed, async () => {
        seen.push(await bed.queue.waits(api));
        return done;
      });
      await bed.until("it ran", () => seen.length > 0);
      await idle(bed);
      expect([runs.length, seen, await bed.queue.waits(api)]).toEqual([1, [true], false]);
    });

    test("by a change that is held", async () => {
      await using bed = await start();
      const hold = { reason: "Frozen" };
      const runs = recordRuns(bed, () => ({ type: "again", afterMs: 60_000, reason: "Frozen", hold }));
      await bed.queue.add([atOnce()]);
      await bed.until("it ran", () => runs.length === 1);
      await idle(bed);
      expect(await bed.held.count()).toBe(1);
      expect(await bed.queue.waits(api)).toBe(true);
    });

    test("by a change that is tried again", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, () => {
        throw new Fault("kube.throttled", "simulated", { retryAfterMs: 60_000 });
      });
      await bed.queue.add([atOnce()]);
      await bed.until("it ran", () => runs.length === 1);
      await idle(bed);
      expect(await bed.queue.waits(api)).toBe(true);
    });

    test("by a change that came while another ran", () =>
      whileInTime(quietPeriodMs / 2, async (inTime) => {
        await using bed = await start();
        const { runs, letGo } = await runUntilLetGo(bed);
        inTime();
        await bed.queue.add([change()]);
        letGo();
        await idle(bed);
        const seen = [runs.length, await bed.queue.waits(api)];
        inTime();
        expect(seen).toEqual([1, true]);
        await bed.until("it ran again", () => runs.length === 2);
        await idle(bed);
        expect(await bed.queue.waits(api)).toBe(false);
      }));

    test("by nothing that waits beside a change", async () => {
      await using bed = await start();
      const beside = ["resume", "follow", "audit"] as const;
      await bed.queue.add(beside.map((purpose) => ({ ...change("api", resumeWindow), purpose })));
      expect(await bed.queue.waits(api)).toBe(false);
    });
  });
}
