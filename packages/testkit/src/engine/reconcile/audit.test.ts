import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { describe, expect, test, vi } from "vitest";
import { adopted } from "../../beds/adopted-deployment.ts";
import { auto, createTestBed, outcomeOf, type TestBedOptions } from "../../beds/test-bed.ts";

const found = "audit found c1 Deployment";
const message = "audit found a change that was missed";

/** An adopted Deployment whose ConfigMap changed five minutes ago, and nobody was told. */
async function missed(options: TestBedOptions = {}, annotations: Readonly<Record<string, string>> = auto) {
  const bed = await adopted(options, annotations);
  bed.queue.additions.splice(0);
  bed.edit("2");
  await bed.clock.advance(300_000);
  return {
    ...bed,
    audit: async () => outcomeOf(await bed.reconcile(bed.api, { purpose: "audit" })),
    change: (quietPeriodMs = 0) =>
      bed.queue.add([
        {
          request: { cluster: "c1", workload: bed.api },
          ...{ quietPeriodMs, maxWaitMs: quietPeriodMs, purpose: "change" as const },
        },
      ]),
  };
}

describe("an audit", () => {
  test("finds nothing where nothing is missed, and writes nothing", async () => {
    const bed = await adopted();
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    await bed.clock.advance(300_000);
    const patches = bed.patches();
    expect(outcomeOf(await bed.reconcile(bed.api, { purpose: "audit" }))).toBe("unchanged");
    expect([bed.meter.count(found), bed.patches()]).toEqual([0, patches]);
    expect(bed.log.messages("warn")).toEqual([]);
  });

  test.each([
    ["with the window of the cluster", auto, { quietPeriodMs: 5000, maxWaitMs: 30_000 }],
    [
      "with its own window",
      { ...auto, "fleet-reloader.io/debounce": "7s" },
      { quietPeriodMs: 7000, maxWaitMs: 30_000 },
    ],
  ])("counts and tells a change that was missed, and asks for it %s", async (_, annotations, window) => {
    const settings = { debounce: { quietPeriodMs: 5000, maxWaitMs: 30_000 } };
    const bed = await missed({ settings }, annotations);
    expect(await bed.audit()).toBe("unchanged");
    expect(bed.meter.count(found)).toBe(1);
    expect(bed.log.lines.filter((line) => line.message === message)).toEqual([
      {
        level: "warn",
        message,
        fields: {
          cluster: "c1",
          workload: bed.api,
          reason: "SourceChanged",
          sources: [{ kind: "ConfigMap", name: "app", reason: "SourceChanged" }],
        },
      },
    ]);
    expect(bed.queue.additions).toEqual([
      { request: { cluster: "c1", workload: bed.api }, ...window, purpose: "change" },
    ]);
    expect(bed.cluster.rolls()).toEqual([]);
    await bed.elapse(10_000);
    expect(bed.cluster.rolls()).toHaveLength(1);
    await bed.clock.advance(300_000);
    expect(await bed.audit()).toBe("unchanged");
    expect(bed.meter.count(found)).toBe(1);
  });

  // An audit never rolls: whether it is a finding has to be asked first.
  test("leaves the roll to the change also where changes roll at once", async () => {
    const bed = await missed();
    expect(await bed.audit()).toBe("unchanged");
    expect(bed.cluster.rolls()).toEqual([]);
    await bed.elapse(100);
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("takes a change that waits for one that is under way, and does not move it", async () => {
    const bed = await missed();
    await bed.change(60_000);
    bed.queue.additions.splice(0);
    expect(await bed.audit()).toBe("unchanged");
    expect([bed.meter.count(found), bed.queue.additions]).toEqual([0, []]);
  });

  test("takes a change that came while it looked for one that is under way", async () => {
    let isLooking = false;
    const bed = await missed({
      before: async ({ verb }) => {
        if (verb !== "read" || !isLooking) return;
        isLooking = false;
        await bed.change(60_000);
      },
    });
    isLooking = true;
    expect(await bed.audit()).toBe("unchanged");
    expect(bed.meter.count(found)).toBe(0);
    expect(bed.queue.additions).toHaveLength(1);
  });

  test("takes a change that is over when it has looked for one that was under way", async () => {
    let isLooking = false;
    const bed = await missed({
      before: ({ verb }) => {
        if (verb === "read" && isLooking) bed.queue.wipe();
      },
    });
    await bed.change(60_000);
    isLooking = true;
    expect(await bed.audit()).toBe("unchanged");
    expect(bed.meter.count(found)).toBe(0);
  });

  test("takes a change that is held for one that is under way", async () => {
    const bed = await missed({}, { ...auto, "fleet-reloader.io/freeze": "true" });
    await bed.change();
    await bed.elapse(100);
    expect(await bed.queue.count()).toBe(1);
    expect(await bed.audit()).toBe("unchanged");
    expect(bed.meter.count(found)).toBe(0);
  });

  // A watch may not have shown it yet. Should it never, the workload rolls all the same.
  test("asks for a change of a moment ago and does not count it", async () => {
    const bed = await missed();
    bed.edit("3");
    await bed.clock.advance(1000);
    expect(await bed.audit()).toBe("unchanged");
    expect([bed.meter.count(found), bed.log.messages("warn")]).toEqual([0, []]);
    await bed.elapse(100);
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("is no news for the history, nor are annotations that were unreadable before", async () => {
    const records: HistoryRecord[] = [];
    const history = { append: (more: readonly HistoryRecord[]) => void records.push(...more) };
    const unreadable = { ...auto, "fleet-reloader.io/debounce": "soon" };
    const bed = await adopted({ history }, unreadable);
    // Written, and the same again: for a change that is a decision to tell of.
    bed.edit("2");
    bed.edit("1");
    const warned = () => bed.log.messages("warn").length;
    const before = warned();
    await bed.reconcile(bed.api, { purpose: "audit" });
    expect([records, warned() - before]).toEqual([[], 0]);
    await bed.run();
    expect([records.length > 0, warned() - before]).toEqual([true, 0]);
  });

  test("lets go of a workload whose opt-in went unseen", async () => {
    const bed = await adopted();
    bed.cluster.setWorkload("api", {
      template: templateUsing({ app: {} }),
      annotations: { "reloader.stakater.com/auto": null },
    });
    expect(outcomeOf(await bed.reconcile(bed.api, { purpose: "audit" }))).toBe("recorded");
    expect(bed.meter.count(found)).toBe(0);
  });
});

// No version of the workload came after that on which the write was decided: nothing refuses it.
test("an audit takes back a write that lands late, when nothing else is asked for", async () => {
  const bed = createTestBed();
  const { cluster } = bed;
  const source = cluster.setSource("ConfigMap", "app-1", { a: "1" });
  const annotations = { "configmap.reloader.stakater.com/reload": "app-.*" };
  const api = cluster.setWorkload("api", { template: templateUsing({}), annotations });
  const patch = cluster.patchWorkload.bind(cluster);
  const sent = Promise.withResolvers<() => Promise<unknown>>();
  vi.spyOn(cluster, "patchWorkload").mockImplementationOnce(async (...write) => {
    sent.resolve(() => patch(...write));
    throw new Fault("kube.timeout", "no answer");
  });
  await expect(bed.reconcile(api, { purpose: "adoption" })).rejects.toMatchObject({ code: "kube.timeout" });
  cluster.deleteSource(source);
  await bed.reconcile(api, { purpose: "adoption", attemptsMade: 1, isDoubtful: true });
  const land = await sent.promise;
  await land();
  const noteKeys = () => Object.keys(cluster.workload(api)?.annotations ?? {}).filter(isOfNote);
  expect(noteKeys()).toHaveLength(1);
  await bed.elapse(29_000);
  expect(noteKeys()).toHaveLength(1);
  await bed.elapse(2000);
  expect(noteKeys()).toEqual([]);
});

function isOfNote(key: string): boolean {
  return key.startsWith("fleet-reloader.io/carried-");
}
