import { expect, test } from "vitest";
import { fails, letIn, setUp } from "./gate-bed.ts";

/** As late as a failing request is tried again at most. */
const fiveMinutesMs = 5 * 60_000;

test("a breaker is shown closed when nothing here has tried the cluster for long", async () => {
  const world = setUp();
  await fails(world, "a", 5);
  await world.clock.advance(5000 + fiveMinutesMs - 1);
  world.gate.showIdle();
  expect(world.meter.count("breaker a closed")).toBe(0);
  await world.clock.advance(1);
  world.gate.showIdle();
  world.gate.showIdle();
  expect(world.meter.count("breaker a closed")).toBe(1);
  // It is half open all the same: one request tries the cluster, and shows it as failing again.
  const trial = await letIn(world, "a");
  expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterFailing" });
  trial.leave("failed");
  expect(world.meter.count("breaker a open")).toBe(2);
});

test("a breaker is shown open while a failing request is tried as late as can be", async () => {
  const world = setUp();
  await fails(world, "a", 5);
  for (let trials = 0; trials < 5; trials += 1) {
    await world.clock.advance(fiveMinutesMs);
    world.gate.showIdle();
    const trial = await letIn(world, "a");
    world.gate.showIdle();
    trial.leave("failed");
  }
  expect(world.meter.count("breaker a closed")).toBe(0);
});

test("a breaker is shown open while requests are on hold, and while one is under way", async () => {
  const world = setUp();
  await fails(world, "a", 5);
  const late = 40_000;
  for (let count = 0; count < 10_000; count += 1) await world.enter("a");
  await world.clock.advance(fiveMinutesMs + late);
  world.gate.showIdle();
  const trial = await letIn(world, "a");
  await world.clock.advance(2 * fiveMinutesMs);
  world.gate.showIdle();
  expect(world.meter.count("breaker a closed")).toBe(0);
  trial.leave("answered");
  expect(world.meter.count("breaker a closed")).toBe(1);
});
