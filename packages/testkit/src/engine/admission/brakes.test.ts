import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { Freeze, FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import type { HoldReport } from "@fleet-reloader/engine/ports/reporter";
import type { Result } from "@fleet-reloader/engine/ports/request";
import { describe, expect, test } from "vitest";
import { auto, createTestBed, outcomeOf, type TestBedOptions } from "../../beds/test-bed.ts";

const frozen = (scope: FreezeScope = {}): Freeze => ({ scope, reason: "release", by: "ann" });

/** A Deployment that reads a ConfigMap, adopted; its ConfigMap has changed since. */
async function changed(options: TestBedOptions = {}) {
  const told: HoldReport[] = [];
  const nothing = () => undefined;
  const reporter = {
    rolled: nothing,
    failed: nothing,
    ended: nothing,
    unreadable: nothing,
    held: (report: HoldReport) => told.push(report),
  };
  const bed = createTestBed({ reporter, ...options });
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  const template = templateUsing({ app: {} });
  const api = bed.cluster.setWorkload("api", { template, annotations: auto });
  await bed.clock.advance(10_000);
  await bed.reconcile(api, { purpose: "adoption" });
  const edit = (value: string, annotations = {}) =>
    bed.cluster.setSource("ConfigMap", "app", { a: value }, annotations);
  edit("2");
  return { ...bed, api, edit, template, told, run: async () => await bed.reconcile(api) };
}

const holdOf = (result: Result) => (result.type === "again" ? result.hold?.reason : undefined);

describe("a freeze", () => {
  test("holds a roll that is due, and lets it go exactly once when it ends", async () => {
    const { run, freezes, cluster, told } = await changed();
    freezes.freezes = [frozen()];
    const results = [await run(), await run()];
    expect(results.map(holdOf)).toEqual(["Frozen", "Frozen"]);
    expect(cluster.rolls()).toEqual([]);
    expect(told[0]).toMatchObject({ reason: "Frozen", why: "release (by ann)" });
    freezes.freezes = [];
    expect([outcomeOf(await run()), outcomeOf(await run())]).toEqual(["rolled", "unchanged"]);
    expect(cluster.rolls()).toHaveLength(1);
  });

  test("leaves nothing to do of a change that was taken back while it lasted", async () => {
    const { run, edit, freezes, cluster } = await changed();
    freezes.freezes = [frozen()];
    await run();
    edit("1");
    await run();
    freezes.freezes = [];
    expect(outcomeOf(await run())).toBe("unchanged");
    expect(cluster.rolls()).toEqual([]);
  });

  test("that is set before the retry of a conflict is honoured by the retry", async () => {
    const hook: { beforePatch: () => void } = { beforePatch: () => undefined };
    const { run, freezes, cluster } = await changed({
      before: ({ verb }) => {
        if (verb === "patch") hook.beforePatch();
      },
    });
    hook.beforePatch = () => {
      freezes.freezes = [frozen()];
      throw new Fault("kube.conflict", "a status was written");
    };
    expect(holdOf(await run())).toBe("Frozen");
    expect(cluster.rolls()).toEqual([]);
  });

  test("that is set while the write waits for its turn is honoured by that very write", async () => {
    const hook: { wait: () => Promise<void> } = { wait: async () => undefined };
    const { run, freezes, cluster, clock } = await changed({
      turn: async ({ verb }) => {
        if (verb === "patch") await hook.wait();
      },
    });
    hook.wait = async () => {
      freezes.freezes = [frozen()];
      await clock.sleep(100, new AbortController().signal);
    };
    expect(holdOf(await run())).toBe("Frozen");
    expect(cluster.rolls()).toEqual([]);
  });

  test("by an annotation that comes while the write waits is honoured by that write", async () => {
    const hook: { wait: () => Promise<void> } = { wait: async () => undefined };
    const { run, edit, cluster, clock, told } = await changed({
      turn: async ({ verb }) => {
        if (verb === "patch") await hook.wait();
      },
    });
    hook.wait = async () => {
      edit("2", { "fleet-reloader.io/freeze": "until the audit" });
      await clock.sleep(3900, new AbortController().signal);
    };
    expect(holdOf(await run())).toBe("FrozenByAnnotation");
    expect(told[0]?.why).toBe("ConfigMap/app is annotated as frozen: until the audit");
    expect(cluster.rolls()).toEqual([]);
  });

  test("of a source that cannot be asked again holds the write", async () => {
    const hook: { wait: () => Promise<void> } = { wait: async () => undefined };
    const { run, cluster, clock } = await changed({
      turn: async ({ verb }) => {
        if (verb === "patch") await hook.wait();
      },
      before: ({ target }) => {
        if (target.startsWith("annotations of")) throw new Fault("kube.unreachable", "it is away");
      },
    });
    hook.wait = () => clock.sleep(3900, new AbortController().signal);
    await expect(run()).rejects.toMatchObject({ code: "kube.unreachable" });
    expect(cluster.rolls()).toEqual([]);
  });

  test("holds neither a note nor an adoption", async () => {
    const { reconcile, cluster, freezes, template } = await changed();
    freezes.freezes = [frozen()];
    const other = cluster.setWorkload("other", { template, annotations: auto });
    expect(outcomeOf(await reconcile(other, { purpose: "adoption" }))).toBe("recorded");
  });

  test.each([
    [
      "on the workload",
      { workload: "until the audit" },
      "the workload is annotated as frozen: until the audit",
    ],
    ["on the source that changed", { source: "true" }, "ConfigMap/app is annotated as frozen"],
  ])(
    "by an annotation %s holds, without any document",
    async (_where, { workload, source }: { workload?: string; source?: string }, why) => {
      const { run, edit, cluster, told, template } = await changed();
      const key = "fleet-reloader.io/freeze";
      const { note } = {
        note: cluster.workload({ kind: "Deployment", namespace: "ns", name: "api" })?.annotations,
      };
      if (workload !== undefined)
        cluster.setWorkload("api", { template, annotations: { ...note, [key]: workload } });
      if (source !== undefined) edit("2", { [key]: source });
      expect(holdOf(await run())).toBe("FrozenByAnnotation");
      expect(told[0]?.why).toBe(why);
      expect(cluster.rolls()).toEqual([]);
    },
  );

  test("is told of when it begins and now and then while it lasts, not at every look", async () => {
    const { run, freezes, told, clock, log } = await changed();
    freezes.freezes = [frozen()];
    for (let look = 0; look < 10; look += 1) await run();
    expect(told).toHaveLength(1);
    await clock.advance(30 * 60_000);
    await run();
    expect(told).toHaveLength(2);
    expect(log.messages("info").filter((message) => message === "roll held")).toHaveLength(2);
  });

  test("that cannot be read holds everything, and is logged once", async () => {
    const { run, freezes, log } = await changed();
    freezes.unreadable = 'freezes.yaml: entry 2: until: "soon" is no time';
    expect([holdOf(await run()), holdOf(await run())]).toEqual(["FreezeUnreadable", "FreezeUnreadable"]);
    expect(log.messages("error")).toEqual(["freezes cannot be read; nothing is rolled"]);
    freezes.unreadable = undefined;
    expect(outcomeOf(await run())).toBe("rolled");
    expect(log.messages("info")).toContain("freezes can be read again");
  });

  test("takes nothing from a budget", async () => {
    const limits = { fleet: { unfinishedMax: 1 } };
    const { run, freezes, ledger } = await changed({ limits });
    freezes.freezes = [frozen()];
    await run();
    const other = { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "other" } };
    expect((await ledger.admit(other, [])).type).toBe("go");
  });
});

describe("a breaker", () => {
  const limit = { rollsMax: 3, withinMs: 600_000 };

  test("holds a workload whose source changes each second, then rolls the newest content", async () => {
    const bed = await changed({ limits: { workloadBreaker: limit } });
    for (let second = 0; second < 600; second += 1) {
      bed.edit(`v${second}`);
      await bed.run();
      await bed.clock.advance(1000);
    }
    expect(bed.cluster.rolls().length).toBeLessThanOrEqual(5);
    expect(bed.told.at(-1)).toMatchObject({
      reason: "WorkloadLooping",
      why: "the breaker of Deployment/ns/api is open: it was rolled more than 3 times in 10m; stop what changes its sources, or raise --breaker-workload",
    });
    await bed.clock.advance(3_600_000);
    expect(outcomeOf(await bed.run())).toBe("rolled");
  });

  test("holds a looping source for all who use it, after each has the same content", async () => {
    const bed = await changed({ limits: { sourceBreaker: limit } });
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
    const bed = await changed({ limits: { workloadBreaker: byDefault, sourceBreaker: byDefault } });
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
    const { run, brakes, clock, ledger, cluster, told, log } = await changed({
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
    const { run, brakes, clock, ledger, told } = await changed({
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
    const { run, ledger } = await changed({
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
