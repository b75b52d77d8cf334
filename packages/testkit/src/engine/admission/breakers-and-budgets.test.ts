import { Fault } from "@fleet-reloader/domain/fault";
import { describe, expect, test } from "vitest";
import { changedDeployment, holdOf } from "../../beds/braked-deployment.ts";
import { auto, outcomeOf } from "../../beds/test-bed.ts";

describe("a breaker", () => {
  const limit = { rollsMax: 3, withinMs: 600_000 };

  test("says how often it let a workload roll", async () => {
    const bed = await changedDeployment({ limits: { workloadBreaker: limit } });
    while (holdOf(await bed.run()) === undefined) bed.edit(`v${bed.cluster.rolls().length}`);
    expect(bed.cluster.rolls()).toHaveLength(3);
    expect(bed.told.at(-1)?.why).toContain(
      "it was rolled 3 times in 10m, which is the most that is allowed;",
    );
  });

  test("holds a workload whose source changes each second, then rolls the newest content", async () => {
    const bed = await changedDeployment({ limits: { workloadBreaker: limit } });
    for (let second = 0; second < 600; second += 1) {
      bed.edit(`v${second}`);
      await bed.run();
      await bed.clock.advance(1000);
    }
    expect(bed.cluster.rolls().length).toBeLessThanOrEqual(5);
    expect(bed.told.at(-1)).toMatchObject({
      reason: "WorkloadLooping",
      why: "the breaker of Deployment/ns/api is open: it was rolled 3 times in 10m, which is the most that is allowed; stop what changes its sources, or raise --breaker-workload",
    });
    await bed.clock.advance(3_600_000);
    expect(outcomeOf(await bed.run())).toBe("rolled");
  });

  test("holds a looping source for all who use it, after each has the same content", async () => {
    const bed = await changedDeployment({ limits: { sourceBreaker: limit } });
    const other = bed.cluster.setWorkload("other", { template: bed.template, annotations: auto });
    await bed.reconcile(other, { purpose: "adoption" });
    for (const value of ["3", "4", "5"]) {
      bed.edit(value);
      expect(outcomeOf(await bed.run())).toBe("rolled");
      expect(outcomeOf(await bed.reconcile(other))).toBe("rolled");
    }
    bed.edit("6");
    expect([holdOf(await bed.run()), holdOf(await bed.reconcile(other))]).toEqual([
      "SourceLooping",
      "SourceLooping",
    ]);
    expect(bed.told.at(-1)?.why).toContain("ConfigMap/ns/app");
    expect(bed.told.at(-1)?.why).toContain(
      "more than 3 times in 10m; stop what rewrites it, or raise --breaker-source",
    );
  });

  // 40 by hand in ten minutes are normal: none of them meets a breaker as it is without flags.
  test("lets a developer change one ConfigMap forty times in ten minutes", async () => {
    // A test of the flags holds them to this default.
    const byDefault = { rollsMax: 100, withinMs: 3_600_000 };
    const bed = await changedDeployment({ limits: { workloadBreaker: byDefault, sourceBreaker: byDefault } });
    await bed.run();
    for (let change = 1; change <= 40; change += 1) {
      await bed.clock.advance(15_000);
      bed.edit(`by hand ${change}`);
      expect(outcomeOf(await bed.run())).toBe("rolled");
    }
    expect(bed.cluster.rolls()).toHaveLength(41);
  });
});

describe("a budget", () => {
  test("holds what it has no room for; what ends makes room", async () => {
    const { run, brakes, clock, ledger, cluster, told, log } = await changedDeployment({
      limits: { namespace: { unfinishedMax: 1 } },
    });
    const other = { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "other" } };
    await ledger.admit(other, []);
    await clock.advance(60_000);
    expect(holdOf(await run())).toBe("BudgetUnfinished");
    expect(told[0]?.why).toBe(
      "as many rollouts of the namespace are unfinished as its budget allows; unfinished: Deployment/ns/other of c1",
    );
    expect(log.text).toContain("budget allows; unfinished: Deployment/ns/other of c1");
    await brakes.settled(other, 60_000);
    expect(outcomeOf(await run())).toBe("rolled");
    expect(cluster.rolls()).toHaveLength(1);
  });

  test("names the blocking rollouts again only after they blocked it for a minute", async () => {
    const { run, brakes, clock, ledger, told } = await changedDeployment({
      limits: { fleet: { unfinishedMax: 1 } },
    });
    const rollout = (name: string) => ({
      cluster: "c1",
      workload: { kind: "Deployment", namespace: "ns", name },
    });
    const block = async (name: string) => {
      // Whoever is late keeps nobody waiting.
      await clock.advance(5000);
      expect(await ledger.admit(rollout(name), [])).toEqual({ type: "go" });
    };
    await block("first");
    await run();
    await clock.advance(50_000);
    await brakes.settled(rollout("first"), 50_000);
    await block("second");
    for (let look = 0; look < 50; look += 1) {
      expect(holdOf(await run())).toBe("BudgetUnfinished");
      await clock.advance(1000);
    }
    expect(told).toHaveLength(1);
    await clock.advance(20_000);
    for (let look = 0; look < 3; look += 1) await run();
    expect(told).toMatchObject([
      { isStuck: false, why: expect.stringContaining("Deployment/ns/first of c1") },
      { isStuck: true, why: expect.stringContaining("Deployment/ns/second of c1") },
    ]);
  });

  test.each([
    ["kube.rejected", "go"],
    ["kube.unreachable", "go"],
    ["kube.replaced", "go"],
    // The workload is read once more, and is as it was: a webhook that is down, perhaps.
    ["kube.server-error", "go"],
    ["kube.timeout", "hold"],
  ] as const)("after %s of the write, the next asks and is %s", async (code, type) => {
    const { run, ledger } = await changedDeployment({
      limits: { fleet: { unfinishedMax: 1 } },
      before: ({ verb, target }) => {
        if (verb === "patch" && target.endsWith("api") && isArmed) throw new Fault(code, "no");
      },
    });
    isArmed = true;
    await expect(run()).rejects.toThrow("no");
    isArmed = false;
    const other = { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "other" } };
    expect((await ledger.admit(other, [])).type).toBe(type);
  });
  let isArmed = false;
});
