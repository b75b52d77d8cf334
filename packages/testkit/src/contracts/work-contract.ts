import { type IsStillHeld, releaseEnded } from "@fleet-reloader/engine/admission/held-requests";
import type { Again } from "@fleet-reloader/engine/ports/request";
import type { Addition } from "@fleet-reloader/engine/ports/workqueue";
import { describe, expect, test } from "vitest";
import { whileInTime } from "../in-time.ts";
import { CollectedLog } from "../memory/collected-log.ts";
import {
  atOnce,
  change,
  done,
  horizonMs,
  idle,
  type QueueUnderTest,
  quietPeriodMs,
  recordRuns,
  requestFor,
  resumeWindow,
  runUntilLetGo,
} from "./queue-under-test.ts";

/** What every workqueue tells of the work there is for workers; a request that may not go on is none, and comes back. */
export function workContract(start: () => Promise<QueueUnderTest>): void {
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
      await bed.elapse(resumeWindow.quietPeriodMs);
      await bed.until("three are due", async () => (await bed.work(1)).work === 3);
    });

    // A person shortened the period of the pause.
    test("is also the end of a pause that was brought forward", async () => {
      await using bed = await start();
      const resumeAfter = (ms: number): Addition => ({
        ...change("api", { quietPeriodMs: ms, maxWaitMs: ms }),
        purpose: "resume",
      });
      await bed.queue.add([resumeAfter(600_000)]);
      expect((await bed.work(horizonMs)).work).toBe(0);
      await bed.queue.add([resumeAfter(1000)]);
      expect((await bed.work(horizonMs)).work).toBe(1);
      const runs = recordRuns(bed, () => done);
      await bed.until("it ran", () => runs.length === 1);
    });

    test("is also what runs, and nothing when all is done", async () => {
      await using bed = await start();
      const { letGo } = await runUntilLetGo(bed);
      expect(await bed.work(horizonMs)).toMatchObject({ work: 1, active: 1 });
      letGo();
      await idle(bed);
      expect((await bed.work(horizonMs)).work).toBe(0);
    });
  });

  describe("a run that is held", () => {
    const frozen: Again = { type: "again", afterMs: 30_000, reason: "Frozen", hold: { reason: "Frozen" } };

    /** A request that is held at its first run, and put back by now. */
    const heldOnce = async (bed: QueueUnderTest) => {
      const runs = recordRuns(bed, (_, count) => (count === 1 ? frozen : done));
      await bed.queue.add([atOnce()]);
      await bed.until("it is held", () => runs.length === 1);
      await idle(bed);
      return runs;
    };

    /** One request that a worker has put back like this; the worker is gone. */
    async function hold(bed: QueueUnderTest, how: Again = frozen): Promise<void> {
      const runs = recordRuns(bed, () => how);
      await bed.queue.add([atOnce()]);
      await bed.until("it ran", () => runs.length === 1);
      await idle(bed);
      await bed.leave();
    }

    /** Longer than it takes to look. */
    const holdMs = 15_000;

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
      expect(await bed.held.count()).toBe(1);
      expect(await bed.held.listDue(againAtMs - 1, againAtMs)).toEqual([one]);
      expect(await bed.held.listDue(againAtMs, againAtMs + 9999)).toEqual([]);
      expect(await bed.held.listDue(0, againAtMs - 1)).toEqual([]);
    });

    test("says what holds it", async () => {
      await using bed = await start();
      const why = "the breaker of Deployment/ns/api is open";
      await hold(bed, { ...frozen, hold: { reason: "WorkloadLooping", why } });
      expect(await bed.held.list()).toMatchObject([{ reason: "WorkloadLooping", why }]);
    });

    test("is work at once when somebody knows that the hold is over, and runs", async () => {
      await using bed = await start();
      const frozenBy = ["Secret/ns/db", "ConfigMap/ns/app"];
      await hold(bed, { ...frozen, hold: { reason: "Frozen", frozenBy } });
      const asked: string[] = [];
      await release(bed, async ({ workload }, { reason, frozenBy }) => {
        asked.push(`${workload.name} ${reason} ${frozenBy}`);
        return false;
      });
      expect(asked).toEqual(["api Frozen Secret/ns/db,ConfigMap/ns/app"]);
      expect(await bed.work(horizonMs)).toMatchObject({ work: 1, held: 0 });
      const runs = recordRuns(bed, () => done);
      await bed.until("it ran", () => runs.length === 1);
      expect(runs[0]?.delivery).toMatchObject({ attemptsMade: 0, purpose: "change" });
      expect(await bed.held.list()).toEqual([]);
    });

    test.each([
      ["its end", (untilMs: number): Again => ({ ...frozen, hold: { reason: "Frozen", untilMs } })],
      ["the time it asked for, where nobody knows,", (): Again => ({ ...frozen, afterMs: holdMs })],
    ] as const)("is work after %s", (_, how) =>
      whileInTime(holdMs, async (inTime) => {
        await using bed = await start();
        inTime();
        await hold(bed, how(bed.now() + holdMs));
        await release(bed);
        const { work } = await bed.work(horizonMs);
        inTime();
        expect(work).toBe(0);
        await bed.elapse(holdMs);
        await bed.until("it is over", async () => {
          await release(bed);
          return (await bed.held.count()) === 0;
        });
        expect(await bed.work(horizonMs)).toMatchObject({ work: 1, held: 0 });
      }),
    );

    test("comes back by itself while a worker is there, and is then no longer held", async () => {
      await using bed = await start();
      const runs = recordRuns(bed, (_, count) => (count === 1 ? { ...frozen, afterMs: 200 } : done));
      await bed.queue.add([atOnce()]);
      await bed.until("it ran again", () => runs.length === 2);
      await idle(bed);
      expect(await bed.held.list()).toEqual([]);
      expect((await bed.work(horizonMs)).work).toBe(0);
    });

    test("and changed meanwhile waits for quiet, although its hold is over", async () => {
      await using bed = await start();
      const runs = await heldOnce(bed);
      const changedAt = bed.now();
      await bed.queue.add([change()]);
      await release(bed, async () => false);
      await bed.until("it ran again", () => runs.length === 2);
      expect((runs[1]?.at ?? 0) - changedAt).toBeGreaterThanOrEqual(quietPeriodMs - 20);
    });

    // No worker is there: only what counts as work brings one.
    test.each([
      ["after its quiet period", change()],
      ["at once", atOnce()],
    ])("is work when its workload changes, %s", async (_, addition) => {
      await using bed = await start();
      await hold(bed);
      await bed.queue.add([addition]);
      expect(await bed.work(horizonMs)).toMatchObject({ work: 1, held: 0 });
    });

    test("and moved beyond the horizon hides no other work", async () => {
      await using bed = await start();
      await hold(bed);
      await bed.queue.add([change("api", { quietPeriodMs: 90_000, maxWaitMs: 90_000 }), change("web")]);
      expect((await bed.work(horizonMs)).work).toBe(1);
    });

    // The change may be one that the hold does not concern: a worker has to look.
    test("is looked at again when its workload changes, and only once", async () => {
      await using bed = await start();
      const runs = await heldOnce(bed);
      await bed.queue.add([change()]);
      await bed.until("it ran again", () => runs.length === 2);
      await release(bed, async () => false);
      await bed.elapse(quietPeriodMs);
      expect(runs).toHaveLength(2);
      expect(await bed.held.list()).toEqual([]);
    });
  });
}
