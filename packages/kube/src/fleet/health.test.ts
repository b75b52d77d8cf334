import { Fault } from "@fleet-reloader/domain/fault";
import { ManualClock, settled } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { Health } from "./health.ts";

/** A cluster that gives the answers of a test; `undefined` is no answer at all. */
function setUp() {
  const clock = new ManualClock();
  const stop = new AbortController();
  const told: string[] = [];
  let heardAt = 0;
  let asked = 0;
  let answer: "ok" | "silent" | Fault = "ok";
  const health = new Health({
    clock,
    random: () => 0,
    heardAt: () => heardAt,
    tell: (event) => told.push(event.type),
    async ask(signal) {
      asked += 1;
      if (answer === "silent")
        await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      if (answer instanceof Fault) throw answer;
      heardAt = clock.monotonic();
    },
  });
  const ended = health.run(stop.signal);
  return {
    clock,
    health,
    told,
    get asked() {
      return asked;
    },
    hear: () => {
      heardAt = clock.monotonic();
    },
    answers: (how: typeof answer) => {
      answer = how;
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

test("a cluster that talks is not asked; one that is silent is, every ten seconds", async () => {
  await using world = setUp();
  for (let second = 0; second < 30; second += 1) {
    await world.clock.advance(1000);
    world.hear();
  }
  expect(world.asked).toBe(0);
  await world.clock.advance(10_000);
  expect(world.asked).toBe(1);
  await world.clock.advance(10_000);
  expect(world.asked).toBe(2);
  expect(new Set(world.told)).toEqual(new Set(["heard"]));
});

test("a silent one misses five times in 35 seconds, and is back at its first answer", async () => {
  await using world = setUp();
  world.answers("silent");
  await world.clock.advance(34_999);
  expect(world.told).toEqual(["missed", "missed", "missed", "missed"]);
  await world.clock.advance(1);
  expect(world.told).toHaveLength(5);
  world.answers("ok");
  await world.clock.advance(5000);
  expect(world.told.slice(5)).toEqual(["missed", "heard"]);
});

test("a request that breaks off is looked after at once, a hundred of them once", async () => {
  await using world = setUp();
  await settled();
  world.answers(new Fault("kube.unreachable", "cannot reach it"));
  for (let count = 0; count < 100; count += 1) world.health.disturbed();
  await world.clock.advance(500);
  expect(world.told).toEqual(["missed"]);
  await world.clock.advance(4999);
  expect(world.asked).toBe(1);
  await world.clock.advance(1);
  expect(world.asked).toBe(2);
});

test("403 and 429 are answers, 500 is none, and 401 is a refusal", async () => {
  await using world = setUp();
  const statuses = [
    ["kube.forbidden", 403],
    ["kube.throttled", 429],
    ["kube.unauthorized", 401],
    ["kube.server-error", 500],
  ] as const;
  for (const [code, status] of statuses) {
    world.answers(new Fault(code, "", { context: { status } }));
    world.hear();
    await world.clock.advance(10_000);
  }
  expect(world.told.slice(0, 4)).toEqual(["heard", "heard", "refused", "missed"]);
});

test("a cluster that has refused us is asked again although it goes on talking", async () => {
  await using world = setUp();
  world.answers(new Fault("kube.unauthorized", "", { context: { status: 401 } }));
  await world.clock.advance(10_000);
  expect(world.told).toEqual(["refused"]);
  world.answers("ok");
  // The stream that was open before continues and delivers something every second.
  for (let second = 0; second < 11; second += 1) {
    world.hear();
    await world.clock.advance(1000);
  }
  expect(world.told).toEqual(["refused", "heard"]);
});

test("says when it asks again for as long as the last answer was missing or a refusal", async () => {
  await using world = setUp();
  const { clock, health } = world;
  expect(health.probedInMs).toBeUndefined();
  world.answers(new Fault("kube.server-error", "", { context: { status: 503 } }));
  await clock.advance(10_000);
  expect(health.probedInMs).toBe(5000);
  await clock.advance(2000);
  expect(health.probedInMs).toBe(3000);
  world.answers(new Fault("kube.unauthorized", "", { context: { status: 401 } }));
  await clock.advance(3000);
  expect(health.probedInMs).toBe(10_000);
  world.answers("ok");
  await clock.advance(10_000);
  expect(health.probedInMs).toBeUndefined();
});
