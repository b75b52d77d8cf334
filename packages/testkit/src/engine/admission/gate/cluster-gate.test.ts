import type { GateVerdict } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settled } from "../../../memory/manual-clock.ts";
import { fails, type Gate, letIn, setUp } from "./gate-bed.ts";

/** As many as are let in without waiting. */
async function fill(world: Gate, cluster: string): Promise<number> {
  for (let count = 0; ; count += 1) {
    let admission: GateVerdict | undefined;
    void world.enter(cluster).then((given) => {
      admission = given;
    });
    await settled();
    if (admission?.type !== "go") return count;
  }
}

async function answers(world: Gate, cluster: string, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) (await letIn(world, cluster)).leave("answered");
}

describe("slots", () => {
  test("a cluster that answers gets half of the free slots", async () => {
    const world = setUp(64);
    for (const cluster of ["a", "b", "c"]) await answers(world, cluster, 40);
    expect(await fill(world, "a")).toBe(32);
    expect(await fill(world, "b")).toBe(16);
    expect(await fill(world, "c")).toBe(8);
    await letIn(world, "healthy");
  });

  test("a cluster without a recent answer gets two, and one more with each answer", async () => {
    const world = setUp(64);
    expect(await fill(world, "hangs")).toBe(2);
    await answers(world, "answers", 3);
    expect(await fill(world, "answers")).toBe(5);
    await answers(world, "idle", 30);
    await world.clock.advance(1001);
    expect(await fill(world, "idle")).toBe(2);
  });

  test("who waits for a cluster that is far away waits on: slow as usual is not hung", async () => {
    const world = setUp(64);
    const far = async () => {
      const inside = await letIn(world, "far");
      await world.clock.advance(400);
      inside.leave("answered");
    };
    await far();
    const under = [await letIn(world, "far"), await letIn(world, "far"), await letIn(world, "far")];
    const waits = letIn(world, "far");
    await world.clock.advance(400);
    under[0]?.leave("answered");
    (await waits).leave("answered");
  });

  test("twenty clusters that hang at once leave room for those that do not", async () => {
    const world = setUp(64);
    for (let cluster = 0; cluster < 20; cluster += 1) expect(await fill(world, `hangs${cluster}`)).toBe(2);
    expect(await fill(world, "healthy")).toBe(2);
  });

  test("a storm of a healthy cluster waits for its next slot, first come first served", async () => {
    const world = setUp(2);
    const first = await letIn(world, "a");
    const order: number[] = [];
    const entered = [1, 2].map(async (number) => {
      const admission = await letIn(world, "a");
      order.push(number);
      admission.leave("answered");
    });
    first.leave("answered");
    await Promise.all(entered);
    expect(order).toEqual([1, 2]);
  });

  test("a whole fan-out waits for a cluster that has been idle", async () => {
    const world = setUp(64);
    const inside = await Promise.all([letIn(world, "a"), letIn(world, "a")]);
    const waiting = Array.from({ length: 62 }, async () => {
      (await letIn(world, "a")).leave("answered");
    });
    for (const { leave } of inside) leave("answered");
    await Promise.all(waiting);
  });

  test("no more wait for a cluster that failed last than it may have under way", async () => {
    const world = setUp(64);
    (await letIn(world, "a")).leave("failed");
    const inside = await Promise.all([letIn(world, "a"), letIn(world, "a")]);
    const waiting = [world.enter("a"), world.enter("a")];
    await settled();
    expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterBusy" });
    for (const { leave } of inside) leave("answered");
    expect(await waiting[1]).toMatchObject({ type: "go" });
  });

  test("a request that has waited long enough for a busy cluster is put on hold", async () => {
    const world = setUp(64);
    await answers(world, "a", 40);
    const inside = await Promise.all(Array.from({ length: 32 }, () => letIn(world, "a")));
    const waiting = Array.from({ length: 20 }, () => world.enter("a"));
    for (const { leave } of inside.slice(0, 11)) {
      await world.clock.advance(200);
      leave("answered");
    }
    expect(await waiting[0]).toMatchObject({ type: "go" });
    expect(await waiting.at(-1)).toMatchObject({ type: "hold", reason: "ClusterBusy" });
  });

  test("who waits for a slot and is stopped waits no longer, and takes none", async () => {
    const world = setUp(2);
    const inside = await letIn(world, "a");
    const stopped = new AbortController();
    const waits = world.gate.admit("a", stopped.signal);
    stopped.abort();
    expect(await waits).toMatchObject({ type: "hold" });
    expect(await world.gate.admit("a", stopped.signal)).toMatchObject({ type: "hold" });
    inside.leave("answered");
    await letIn(world, "a");
  });

  test("for a cluster that looks hung nobody waits, nor waits on", async () => {
    const world = setUp(2);
    await letIn(world, "a");
    const waits = world.enter("a");
    await world.clock.advance(251);
    expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterFailing" });
    await world.clock.advance(250);
    expect(await waits).toMatchObject({ type: "hold", reason: "ClusterFailing" });
  });

  // Else one tenant's costly patterns put off the requests of all others in its cluster, 3 s each time.
  test("of a cluster that leaves no call unanswered are there for others", async () => {
    const world = setUp(64);
    world.unasked.add("busy");
    for (const cluster of ["busy", "hung"]) await letIn(world, cluster);
    await world.clock.advance(5000);
    expect(await world.enter("busy")).toMatchObject({ type: "go" });
    expect(await world.enter("hung")).toMatchObject({ type: "hold", reason: "ClusterFailing" });
  });

  test("are never exceeded, and a cluster with none under way always gets in", async () => {
    const step = fc.record({ cluster: fc.constantFrom("a", "b", "c", "d"), leaves: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        const world = setUp(16);
        const inside: { cluster: string; leave: () => void }[] = [];
        for (const { cluster, leaves } of steps) {
          if (leaves) inside.shift()?.leave();
          else
            void world.enter(cluster).then((given) => {
              if (given.type === "go") inside.push({ cluster, leave: () => given.leave("answered") });
            });
          await settled();
          expect(inside.length).toBeLessThan(16);
        }
        expect((await world.enter("newcomer")).type).toBe("go");
      }),
      { numRuns: 50 },
    );
  });
});

describe("a cluster that fails", () => {
  test("is shut after five failures, tried once, and open again when that is answered", async () => {
    const world = setUp();
    await fails(world, "a", 5);
    expect(world.meter.count("breaker a open")).toBe(1);
    expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterFailing" });
    await letIn(world, "b");
    await world.clock.advance(5000);
    const trial = await letIn(world, "a");
    expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterFailing" });
    trial.leave("answered");
    await letIn(world, "a");
    expect(world.meter.count("breaker a closed")).toBe(1);
  });

  test("and what began before it was shut does not count against the trial", async () => {
    const world = setUp();
    const late = await letIn(world, "a");
    await fails(world, "a", 5);
    await world.clock.advance(5000);
    const trial = await letIn(world, "a");
    late.leave("failed");
    trial.leave("answered");
    await letIn(world, "a");
  });

  test("holds ten thousand requests, which come back over forty seconds, none early", async () => {
    const world = setUp();
    await fails(world, "a", 5);
    const returns: number[] = [];
    for (let count = 0; count < 10_000; count += 1) {
      const verdict = await world.enter("a");
      if (verdict.type === "hold") returns.push(verdict.afterMs);
    }
    expect(Math.min(...returns)).toBeGreaterThanOrEqual(5000);
    const perSecond = Map.groupBy(returns, (afterMs) => Math.floor(afterMs / 1000));
    expect(Math.max(...[...perSecond.values()].map((same) => same.length))).toBeLessThanOrEqual(260);
  });
});

describe("what the fleet knows", () => {
  test("an unreachable cluster is shut, and open at once when it has been heard of", async () => {
    const world = setUp();
    await fails(world, "a", 5);
    world.reach.set("a", "unreachable");
    expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterUnreachable" });
    world.reach.set("a", "reachable");
    (await letIn(world, "a")).leave("answered");
  });

  test("all that its window allows goes to a cluster that is back, until a request fails", async () => {
    const world = setUp();
    await fails(world, "a", 5);
    world.reach.set("a", "unreachable");
    await world.enter("a");
    world.reach.set("a", "reachable");
    const inside = await Promise.all([letIn(world, "a"), letIn(world, "a")]);
    expect(world.meter.count("breaker a closed")).toBe(1);
    inside[0]?.leave("failed");
    expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterFailing" });
    expect(world.meter.count("breaker a open")).toBe(2);
  });

  test("requests for a cluster that failed its probe return right after the next one", async () => {
    const world = setUp();
    world.reach.set("a", "failing");
    world.probedInMs.set("a", 3000);
    const verdict = await world.enter("a");
    if (verdict.type !== "hold") throw new Error("it is let in");
    expect(verdict.reason).toBe("ClusterFailing");
    expect(verdict.afterMs).toBeGreaterThan(3000);
    expect(verdict.afterMs).toBeLessThan(4000);
    world.reach.set("a", "reachable");
    await letIn(world, "a");
  });

  test("a cluster that is not engaged here lets nothing in", async () => {
    const world = setUp();
    world.reach.set("a", "unknown");
    expect(await world.enter("a")).toMatchObject({ type: "hold", reason: "ClusterUnknown" });
  });
});

describe("a cluster that is gone", () => {
  test("leaves nothing behind once what was asked of it has ended and is due again", async () => {
    const world = setUp();
    for (const cluster of ["gone", "away", "idle"]) await answers(world, cluster, 3);
    const under = await letIn(world, "gone");
    world.reach.set("gone", "unknown").set("away", "unreachable");
    await world.clock.advance(61_000);
    await answers(world, "here", 1);
    expect(world.gate.clusters).toBe(4);
    under.leave("answered");
    expect(await world.enter("gone")).toMatchObject({ type: "hold" });
    await world.clock.advance(61_000);
    await answers(world, "here", 1);
    expect(world.gate.clusters).toBe(3);
  });
});
