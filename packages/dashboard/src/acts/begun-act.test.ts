import { Fault } from "@fleet-reloader/domain/fault";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test, vi } from "vitest";
import { actingFleet, admin } from "../fixture/acting-fleet.ts";
import { readerOf, startServedFleet } from "../fixture/served-fleet.ts";

const body = { object: "Deployment/api", cluster: "nova", reason: "incident 4711", expect: 1 };

/** A dashboard whose acts end as `add` does. A test can make its Redis unreachable. */
async function startBroken(add: () => Promise<void>) {
  const clock = new ManualClock();
  const fleet = actingFleet(admin);
  const acts = { ...fleet.acts, fleet: { ...fleet.acts.fleet, queue: { ...fleet.acts.fleet.queue, add } } };
  const notReady: string[] = [];
  const reader = { notReady, read: readerOf([]).read };
  const served = await startServedFleet({ acts, overview: fleet.overview, reader, clock });
  return {
    clock,
    notReady,
    log: served.log,
    async act(more: object = {}) {
      const text = JSON.stringify({ ...body, ...more });
      const headers = { "content-type": "application/json" };
      const sent = await served.ask("/api/v1/acts/retry", headers, "POST", text);
      return { status: sent.status, answer: JSON.parse(sent.body) };
    },
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

const unknown = {
  status: 503,
  answer: {
    code: "act.unknown",
    problem: expect.stringMatching(/^it is not known whether it was done/),
    mend: expect.stringContaining("look at the history"),
  },
};

test("when Redis goes away in the midst of an act, nobody is told that it was not done", async () => {
  const hangs = vi.fn(() => new Promise<void>(() => undefined));
  await using broken = await startBroken(hangs);
  const acted = broken.act();
  await vi.waitFor(() => expect(hangs).toHaveBeenCalled(), { timeout: 60_000 });
  broken.notReady.push("redis: close");
  await settled();
  await broken.clock.advance(1000);
  expect(await acted).toMatchObject(unknown);
});

test("an act that fails in its midst may have been done", async () => {
  await using broken = await startBroken(async () => {
    throw new Fault("redis.unavailable", "Redis does not answer");
  });
  const { answer, status } = await broken.act();
  expect({ answer, status }).toMatchObject(unknown);
  expect(answer.problem).toContain("Redis does not answer");
});

test("what breaks inside an act is logged, and its words stay in the log", async () => {
  await using broken = await startBroken(async () => {
    throw new Error("a text that is nobody's business");
  });
  const { answer, status } = await broken.act();
  expect({ answer, status }).toMatchObject(unknown);
  expect(JSON.stringify(answer)).not.toContain("business");
  expect(JSON.stringify(broken.log.lines)).toContain("business");
});

test("an act that is refused, or before which Redis went away, was surely not done", async () => {
  const added = vi.fn(async () => undefined);
  await using broken = await startBroken(added);
  expect(await broken.act({ expect: 2 })).toMatchObject({ status: 409, answer: { count: 1 } });
  broken.notReady.push("redis: close");
  expect(await broken.act()).toMatchObject({ status: 503, answer: { code: "redis.unavailable" } });
  expect(added).not.toHaveBeenCalled();
});

test("an act that waits for its turn when it is answered with 503 never begins", async () => {
  const ends: (() => void)[] = [];
  const added = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  await using broken = await startBroken(added);
  const first = [broken.act(), broken.act()];
  await vi.waitFor(() => expect(added).toHaveBeenCalledTimes(2), { timeout: 60_000 });
  const waiting = broken.act();
  // Two time limits of turns, and three checks of Redis.
  await vi.waitFor(() => expect(broken.clock.sleeping).toBe(5), { timeout: 60_000 });
  broken.notReady.push("redis: close");
  await broken.clock.advance(1000);
  const answers = await Promise.all([...first, waiting]);
  expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([
    "act.unknown",
    "act.unknown",
    "redis.unavailable",
  ]);
  for (const end of ends) end();
  await settled();
  expect(added).toHaveBeenCalledTimes(2);
});
