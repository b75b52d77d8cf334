import { Fault } from "@fleet-reloader/domain/fault";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { describe, expect, test } from "vitest";
import { adopted } from "../../beds/adopted-deployment.ts";
import { healthy } from "../../beds/rolled-deployment.ts";
import { auto, outcomeOf, type TestBedOptions } from "../../beds/test-bed.ts";
import { MemoryRolloutRuns } from "../../memory/memory-rollout-runs.ts";

const doubtful = { isDoubtful: true, attemptsMade: 1 };
const period = { ...auto, "deployment.reloader.stakater.com/pause-period": "1m" };

/** An adopted Deployment whose history is kept and whose rollouts are followed; PATCHes land, and their answers can be lost. */
async function forgetful(options: TestBedOptions = {}, annotations?: Readonly<Record<string, string>>) {
  const history: HistoryRecord[] = [];
  const runs = new MemoryRolloutRuns();
  let isLost = false;
  const bed = await adopted(
    {
      ...options,
      history: { append: (records) => history.push(...records) },
      following: { runs, firstCheckMs: 5000 },
      after: ({ verb }) => {
        if (verb === "patch" && isLost) throw new Fault("kube.timeout", "no answer");
      },
    },
    annotations,
  );
  const repeat = async () => outcomeOf(await bed.reconcile(bed.api, doubtful));
  return {
    ...bed,
    history,
    runs,
    repeat,
    /** What it does ends in a PATCH whose answer is lost. */
    lose: async (act: () => Promise<unknown>): Promise<void> => {
      isLost = true;
      await expect(act()).rejects.toMatchObject({ code: "kube.timeout" });
      isLost = false;
    },
    /** Reasons of the rolls that are in the history and in the metrics. */
    told: () => {
      const reasons = history.flatMap((record) =>
        record.type === "action" && record.action === "rolled"
          ? record.sources.map(({ reason }) => `${reason}`)
          : [],
      );
      const counted = [...new Set(reasons)].map((reason) =>
        bed.meter.count(`rolled c1 Deployment ${reason}`),
      );
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(reasons.length);
      return reasons;
    },
  };
}

describe("a roll whose answer was lost", () => {
  test.each([
    ["annotations", "SourceChanged"],
    ["annotations", "SourceDeleted"],
    ["env-vars", "SourceChanged"],
    ["env-vars", "SourceDeleted"],
  ] as const)("is told by the repeat, and its rollout is followed (%s, %s)", async (strategy, reason) => {
    const bed = await forgetful({ settings: { strategy, reloadOnDelete: true } });
    if (reason === "SourceDeleted") bed.cluster.deleteSource(bed.app);
    else bed.edit("2");
    await bed.lose(bed.run);
    expect(bed.told()).toEqual([]);
    await bed.clock.advance(2000);
    expect(await bed.repeat()).toBe("recorded");
    expect([bed.told(), bed.cluster.rolls().length]).toEqual([[reason], 1]);
    expect(bed.history.at(-1)).toMatchObject({ action: "rolled", strategy, sources: [{ name: "app" }] });
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(6000);
    expect(bed.history.at(-1)).toMatchObject({ type: "outcome", result: "healthy", sources: [{ reason }] });
  });

  test.each([[["2"]], [["2", "3"]]])(
    "is told once, however often it is repeated and answers are lost (%j)",
    async (contents) => {
      const bed = await forgetful();
      for (const content of contents.slice(0, -1)) {
        bed.edit(content);
        expect(await bed.run()).toBe("rolled");
        await bed.clock.advance(10_000);
      }
      bed.edit(contents.at(-1) ?? "");
      await bed.lose(bed.run);
      await bed.lose(bed.repeat);
      await bed.lose(bed.repeat);
      for (let repeats = 0; repeats < 3; repeats += 1) await bed.repeat();
      expect(await bed.run()).toBe("unchanged");
      expect(bed.told()).toEqual(contents.map(() => "SourceChanged"));
      expect(bed.cluster.rolls()).toHaveLength(contents.length);
    },
  );

  test("is told with the roll for the change that came since", async () => {
    const bed = await forgetful();
    bed.edit("2");
    await bed.lose(bed.run);
    await bed.clock.advance(10_000);
    bed.edit("3");
    expect(await bed.repeat()).toBe("rolled");
    await bed.repeat();
    expect([bed.told(), bed.cluster.rolls().length]).toEqual([["SourceChanged"], 2]);
  });

  test("is told although somebody has edited the template since", async () => {
    const bed = await forgetful();
    bed.edit("2");
    await bed.lose(bed.run);
    await bed.clock.advance(10_000);
    const { metadata, spec } = JSON.parse(JSON.stringify(bed.cluster.workload(bed.api)?.template));
    bed.cluster.setWorkload("api", { template: { metadata, spec: { ...spec, hostNetwork: true } } });
    expect(await bed.repeat()).toBe("recorded");
    expect(bed.told()).toEqual(["SourceChanged"]);
  });

  test("is told once where a webhook took it out and the repeat makes it", async () => {
    let kept: unknown;
    const bed = await forgetful({ admit: (template: unknown) => kept ?? template });
    kept = bed.cluster.workload(bed.api)?.template;
    bed.edit("2");
    await bed.lose(bed.run);
    expect(bed.cluster.rolls()).toHaveLength(0);
    kept = undefined;
    expect(await bed.repeat()).toBe("rolled");
    await bed.repeat();
    expect(bed.told()).toEqual(["SourceChanged"]);
  });
});

describe("a roll that began a pause and whose answer was lost", () => {
  test("is told, and followed from the end of the pause on", async () => {
    const bed = await forgetful({}, period);
    bed.edit("2");
    await bed.lose(bed.run);
    await bed.repeat();
    expect([bed.told(), bed.cluster.workload(bed.api)?.isPaused]).toEqual([["SourceChanged"], true]);
    await bed.elapse(61_000);
    expect(bed.cluster.workload(bed.api)?.isPaused).toBe(false);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(6000);
    expect(bed.history.at(-1)).toMatchObject({ type: "outcome", result: "healthy" });
  });

  test("is told with its causes by a repeat that ends the pause", async () => {
    const bed = await forgetful({}, period);
    bed.edit("2");
    await bed.lose(bed.run);
    await bed.clock.advance(61_000);
    await bed.repeat();
    expect([bed.told(), bed.cluster.workload(bed.api)?.isPaused]).toEqual([["SourceChanged"], false]);
    bed.cluster.setStatus(bed.api, healthy);
    await bed.elapse(6000);
    expect(bed.history.at(-1)).toMatchObject({ type: "outcome", sources: [{ reason: "SourceChanged" }] });
  });
});

describe("no roll is told where the answer was lost", () => {
  test("of an adoption", async () => {
    const bed = await forgetful();
    bed.cluster.setSource("ConfigMap", "db", { a: "1" });
    const annotations = { "configmap.reloader.stakater.com/reload": "app,db" };
    const api = bed.cluster.setWorkload("other", { annotations });
    await bed.clock.advance(10_000);
    await bed.lose(() => bed.reconcile(api, { purpose: "adoption" }));
    for (let repeats = 0; repeats < 3; repeats += 1)
      await bed.reconcile(api, { purpose: "adoption", ...doubtful });
    expect(bed.told()).toEqual([]);
  });

  test("of a write that only notes a new source, after a roll", async () => {
    const bed = await forgetful();
    bed.cluster.setSource("ConfigMap", "db", { a: "1" });
    await bed.clock.advance(10_000);
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    await bed.clock.advance(10_000);
    const annotations = { "configmap.reloader.stakater.com/reload": "db" };
    bed.cluster.setWorkload("api", { annotations });
    await bed.lose(() => bed.reconcile(bed.api, { purpose: "adoption" }));
    for (let repeats = 0; repeats < 3; repeats += 1) await bed.repeat();
    expect([bed.told(), bed.cluster.rolls().length]).toEqual([["SourceChanged"], 1]);
  });
});
