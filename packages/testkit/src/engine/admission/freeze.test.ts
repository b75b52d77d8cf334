import { Fault } from "@fleet-reloader/domain/fault";
import type { Freeze, FreezeScope } from "@fleet-reloader/domain/hold/freeze";
import { describe, expect, test } from "vitest";
import { changedDeployment, holdOf } from "../../beds/braked-deployment.ts";
import { auto, outcomeOf } from "../../beds/test-bed.ts";

const frozen = (scope: FreezeScope = {}): Freeze => ({ scope, reason: "release", by: "ann" });

describe("a freeze", () => {
  test("holds a roll that is due, and lets it go exactly once when it ends", async () => {
    const { run, freezes, cluster, told } = await changedDeployment();
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
    const { run, edit, freezes, cluster } = await changedDeployment();
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
    const { run, freezes, cluster } = await changedDeployment({
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
    const { run, freezes, cluster, clock } = await changedDeployment({
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
    const { run, edit, cluster, clock, told } = await changedDeployment({
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
    const { run, cluster, clock } = await changedDeployment({
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
    const { reconcile, cluster, freezes, template } = await changedDeployment();
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
      const { run, edit, cluster, told, template } = await changedDeployment();
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
    const { run, freezes, told, clock, log } = await changedDeployment();
    freezes.freezes = [frozen()];
    for (let look = 0; look < 10; look += 1) await run();
    expect(told).toHaveLength(1);
    await clock.advance(30 * 60_000);
    await run();
    expect(told).toHaveLength(2);
    expect(log.messages("info").filter((message) => message === "roll held")).toHaveLength(2);
  });

  test("is told of again when it holds a change after one that was taken back", async () => {
    const { run, edit, freezes, told } = await changedDeployment();
    freezes.freezes = [frozen()];
    await run();
    edit("1");
    expect(holdOf(await run())).toBeUndefined();
    edit("2");
    await run();
    expect(told).toHaveLength(2);
  });

  test("that cannot be read holds everything, and is logged once", async () => {
    const { run, freezes, log } = await changedDeployment();
    freezes.unreadable = 'freezes.yaml: entry 2: until: "soon" is no time';
    expect([holdOf(await run()), holdOf(await run())]).toEqual(["FreezeUnreadable", "FreezeUnreadable"]);
    expect(log.messages("error")).toEqual(["freezes cannot be read; nothing is rolled"]);
    freezes.unreadable = undefined;
    expect(outcomeOf(await run())).toBe("rolled");
    expect(log.messages("info")).toContain("freezes can be read again");
  });

  test("takes nothing from a budget", async () => {
    const limits = { fleet: { unfinishedMax: 1 } };
    const { run, freezes, ledger } = await changedDeployment({ limits });
    freezes.freezes = [frozen()];
    await run();
    const other = { cluster: "c1", workload: { kind: "Deployment", namespace: "ns", name: "other" } };
    expect((await ledger.admit(other, [])).type).toBe("go");
  });
});
