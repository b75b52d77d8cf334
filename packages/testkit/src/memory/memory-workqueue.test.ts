import type { Handler, Purpose } from "@fleet-reloader/engine/ports/workqueue";
import { expect, test } from "vitest";
import { adoption, atOnce, done } from "../contracts/queue-under-test.ts";
import { workqueueContract } from "../contracts/workqueue-contract.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryWorkqueue } from "./memory-workqueue.ts";

const stepMs = 10;

// The double promises what the real one does: the same sentences hold for both.
workqueueContract(async () => {
  const clock = new ManualClock();
  const queue = new MemoryWorkqueue({ clock });
  let handler: Handler | undefined;
  const work = async (handle: Handler): Promise<void> => {
    for (let taken = queue.take(); taken !== undefined; taken = queue.take()) {
      const { request, delivery, finish, fail } = taken;
      void handle(request, delivery).then(finish, fail);
    }
  };
  const elapse = async (ms: number): Promise<void> => {
    for (let leftMs = ms; leftMs >= 0; leftMs -= stepMs) {
      if (handler !== undefined) await work(handler);
      await clock.advance(Math.min(stepMs, leftMs));
    }
  };
  return {
    queue,
    held: queue,
    work: (horizonMs) => queue.work(horizonMs),
    elapse,
    handle: (given) => {
      handler = given;
    },
    async leave() {
      handler = undefined;
    },
    clock,
    now: () => clock.now(),
    async until(what, condition) {
      for (let passedMs = 0; !(await condition()); passedMs += stepMs) {
        if (passedMs > 60_000) throw new Error(`not within 60 s: ${what}`);
        await elapse(stepMs);
      }
    },
    async [Symbol.asyncDispose]() {
      // Nothing outlives it.
    },
  };
});

// As the real one ranks, where nobody asks for much: fair-shares.test.ts.
test("a change is handed out before an adoption, and that before a look at a rollout", async () => {
  const queue = new MemoryWorkqueue({ clock: new ManualClock() });
  await queue.add([{ ...atOnce("followed"), purpose: "follow" }, adoption("adopted"), atOnce("changed")]);
  const purposes: Purpose[] = [];
  await queue.run(async (_, { purpose }) => {
    purposes.push(purpose);
    return done;
  });
  expect(purposes).toEqual(["change", "adoption", "follow"]);
});

test("a request whose worker was lost is doubtful until it is done", async () => {
  const queue = new MemoryWorkqueue({ clock: new ManualClock() });
  await queue.add([atOnce()]);
  const lost = queue.take();
  lost?.lose();
  const taken = queue.take();
  taken?.finish(done);
  await queue.add([atOnce()]);
  const doubts = [lost, taken, queue.take()].map((one) => one?.delivery.isDoubtful);
  expect(doubts).toEqual([false, true, false]);
});
