import { appliedAnnotation } from "@fleet-reloader/domain/applied/applied-annotation";
import { parseAppliedState } from "@fleet-reloader/domain/applied/applied-state";
import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { Delivery } from "@fleet-reloader/engine/ports/workqueue";
import { describe, expect, test, vi } from "vitest";
import { adopted, failing } from "../../beds/adopted-deployment.ts";
import { auto, createTestBed, outcomeOf, type TestBedOptions } from "../../beds/test-bed.ts";
import type { ClusterCall } from "../../memory/memory-calls.ts";

const keys = testKeyring("k1");

const annotation = appliedAnnotation("k1");
const selector = { spec: { selector: { matchLabels: { app: "app" } } } };
const text = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** A pod whose container started at that second. */
function podStarted(at: number): object {
  return {
    metadata: { creationTimestamp: text(at - 1), labels: { app: "app", "pod-template-hash": "one" } },
    status: {
      phase: "Running",
      containerStatuses: [{ name: "main", state: { running: { startedAt: text(at) } } }],
    },
  };
}

/** A Deployment that was made after we came, and whose ConfigMap was changed 10 s later; nobody has looked at it. */
async function withoutState(options: TestBedOptions = {}, fields: object = selector) {
  const bed = createTestBed({ engagedAtSeconds: 0, ...options });
  await bed.index.open();
  bed.cluster.setSource("ConfigMap", "app", { a: "1" });
  await bed.clock.advance(10_000);
  const change = { template: templateUsing({ app: {} }), annotations: auto, fields };
  const api = bed.cluster.setWorkload("api", change);
  const madeAt = bed.serverSeconds();
  await bed.clock.advance(10_000);
  bed.cluster.setSource("ConfigMap", "app", { a: "2" });
  const changedAt = bed.serverSeconds();
  await bed.clock.advance(10_000);
  const request = { cluster: "c1", workload: api };
  return {
    ...{ ...bed, api, request, madeAt, changedAt },
    observation: async (delivery: Partial<Delivery> = {}) => outcomeOf(await bed.reconcile(api, delivery)),
    show: () =>
      bed.index.put([
        {
          ...{ workload: api, sources: ["ConfigMap/ns/app"], patterns: [], scope: "", window: {} },
          seen: { uid: bed.cluster.workload(api)?.uid ?? "", resourceVersion: "1", atSeconds: madeAt },
        },
      ]),
    appliedTextOf: () => bed.cluster.workload(api)?.annotations[annotation],
    listed: () => podLists(bed.cluster.calls),
  };
}

function podLists(calls: readonly ClusterCall[]): number {
  return calls.filter(({ verb, target }) => verb === "list" && target.startsWith("Pod/")).length;
}

describe("a first look that finds a change", () => {
  const debounced = { settings: { debounce: { quietPeriodMs: 5000, maxWaitMs: 30_000 } } };

  test("at an adoption asks for a change, writes nothing, and keeps what was seen", async () => {
    const bed = await withoutState(debounced);
    await bed.show();
    expect(await bed.observation({ purpose: "adoption" })).toBe("unchanged");
    expect(bed.queue.additions).toEqual([
      { request: bed.request, quietPeriodMs: 5000, maxWaitMs: 30_000, purpose: "change" },
    ]);
    expect([bed.cluster.rolls(), bed.appliedTextOf()]).toEqual([[], undefined]);
    expect((await bed.records.read(bed.request)).seen).toMatchObject({ atSeconds: bed.madeAt });
    expect(await bed.index.unreconciled()).toBe(0);
  });

  test("rolls once after the quiet period; then what was seen is not used again", async () => {
    const bed = await withoutState(debounced);
    await bed.show();
    await bed.observation({ purpose: "adoption" });
    await bed.elapse(6000);
    expect(bed.cluster.rolls()).toHaveLength(1);
    const record = await bed.records.read(bed.request);
    expect([record.seen, record.appliedText]).toEqual([undefined, bed.appliedTextOf()]);
    expect(await bed.observation()).toBe("unchanged");
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("judges by the event that showed the workload, not by what is live when we look", async () => {
    const bed = await withoutState({ engagedAtSeconds: Number.MAX_SAFE_INTEGER });
    expect(await bed.observation()).toBe("recorded");
    const shown = await withoutState({ engagedAtSeconds: Number.MAX_SAFE_INTEGER });
    await shown.show();
    expect(await shown.observation()).toBe("rolled");
  });

  test("does not take the event of another workload of that name for its own", async () => {
    const bed = await withoutState({ engagedAtSeconds: Number.MAX_SAFE_INTEGER });
    await bed.show();
    bed.index.records?.seen.set(workloadKey(bed.api), { uid: "gone", atSeconds: bed.madeAt });
    expect(await bed.observation()).toBe("recorded");
  });
});

describe("a doubtful delivery", () => {
  const countOf = (text: string | undefined) => parseAppliedState(text, keys)?.count;

  test("that finds nothing to do writes the applied state with a higher count, once", async () => {
    const bed = await adopted();
    const before = bed.cluster.workload(bed.api)?.annotations[annotation];
    expect(countOf(before)).toBe(1);
    const result = await bed.reconcile(bed.api, { isDoubtful: true, attemptsMade: 1 });
    expect(outcomeOf(result)).toBe("recorded");
    const after = bed.cluster.workload(bed.api)?.annotations[annotation];
    expect({ ...parseAppliedState(after, keys), count: 1 }).toEqual(parseAppliedState(before, keys));
    expect([countOf(after), bed.patches(), bed.cluster.rolls()]).toEqual([2, 2, []]);
    expect(await bed.run()).toBe("unchanged");
    expect(bed.patches()).toBe(2);
  });

  // What was on its way when its worker was lost.
  test("leaves the workload in another version, so that a write of before is refused", async () => {
    const bed = await adopted();
    const live = bed.cluster.workload(bed.api);
    const { signal } = new AbortController();
    await bed.reconcile(bed.api, { isDoubtful: true, attemptsMade: 1 });
    const late = { resourceVersion: live?.resourceVersion ?? "", annotations: { [annotation]: "late" } };
    await expect(bed.cluster.patchWorkload(bed.api, late, signal)).rejects.toMatchObject({
      code: "kube.conflict",
    });
  });

  test("that finds a change rolls, and writes nothing beside", async () => {
    const bed = await adopted();
    bed.edit("2");
    expect(outcomeOf(await bed.reconcile(bed.api, { isDoubtful: true, attemptsMade: 1 }))).toBe("rolled");
    expect(bed.patches()).toBe(2);
  });
});

describe("before a roll is tried", () => {
  /** What Redis holds of the workload whenever the API server gets a PATCH. */
  function watchedRedis() {
    const held: (string | undefined)[] = [];
    let observation = (): string | undefined => undefined;
    const before = ({ verb }: ClusterCall) => {
      if (verb === "patch") held.push(observation());
    };
    const of = (bed: Pick<Awaited<ReturnType<typeof adopted>>, "index" | "api">) => {
      observation = () => bed.index.applied.get(workloadKey(bed.api))?.appliedText;
    };
    return { held, before, of };
  }

  // A webhook may leave the applied state of the roll without the roll.
  test.each(["the note", "nothing"])(
    "Redis holds the applied state that counts, where it had lost %s",
    async (lost) => {
      const redis = watchedRedis();
      const bed = await adopted({ before: redis.before });
      redis.of(bed);
      await bed.index.open();
      const appliedText = bed.cluster.workload(bed.api)?.annotations[annotation] ?? "";
      if (lost === "nothing") await bed.records.keep({ cluster: "c1", workload: bed.api }, appliedText, 0);
      else bed.index.applied.clear();
      bed.edit("2");
      expect(await bed.run()).toBe("rolled");
      expect(redis.held.at(-1)).toBe(appliedText);
    },
  );

  // A read of its own would make every roll wait for Redis.
  test("Redis is asked beside the workload, and again only if it lacks the applied state", async () => {
    const bed = await adopted();
    await bed.index.open();
    const appliedText = bed.cluster.workload(bed.api)?.annotations[annotation] ?? "";
    await bed.records.keep({ cluster: "c1", workload: bed.api }, appliedText, 0);
    const read = vi.spyOn(bed.records, "read");
    bed.edit("2");
    expect([await bed.run(), read.mock.calls.length]).toEqual(["rolled", 1]);
    bed.index.applied.clear();
    bed.edit("3");
    expect([await bed.run(), read.mock.calls.length]).toEqual(["rolled", 3]);
  });

  test("Redis holds that no applied state counts, where there is none", async () => {
    const redis = watchedRedis();
    const bed = await withoutState({ before: redis.before });
    redis.of(bed);
    expect(await bed.observation()).toBe("rolled");
    expect(redis.held).toEqual([""]);
  });
});

describe("a source that only a pattern leads to", () => {
  test("is judged by what Redis has seen, where no applied state names it", async () => {
    const bed = createTestBed({ engagedAtSeconds: 0 });
    await bed.index.open();
    const annotations = { "configmap.reloader.stakater.com/reload": "app.*" };
    bed.cluster.setSource("ConfigMap", "app-1", { a: "1" });
    const api = bed.cluster.setWorkload("api", { template: templateUsing({}), annotations });
    await bed.clock.advance(10_000);
    expect(outcomeOf(await bed.reconcile(api))).toBe("recorded");
    await bed.clock.advance(10_000);
    bed.cluster.setSource("ConfigMap", "app-2", { a: "1" });
    const atSeconds = bed.serverSeconds();
    await bed.clock.advance(10_000);
    bed.cluster.setSource("ConfigMap", "app-2", { a: "2" });
    await bed.clock.advance(10_000);
    // To managedFields the interest is no older than the last write of who owns it.
    bed.cluster.setWorkload("api", { annotations: { team: "shop" } });
    const uid = bed.cluster.workload(api)?.uid ?? "";
    bed.index.records?.seen.set(workloadKey(api), { uid, atSeconds });
    expect(outcomeOf(await bed.reconcile(api))).toBe("rolled");
  });
});

describe("an applied state that somebody else has touched", () => {
  const workloadOf = (bed: Awaited<ReturnType<typeof adopted>>) => {
    if (bed.index.records === undefined) throw new Error("there is no Redis");
    return bed.cluster.workload(bed.api)?.annotations[annotation];
  };

  /** Adopted, with a Redis that remembers it. */
  async function remembered() {
    const bed = await adopted();
    await bed.index.open();
    const appliedText = workloadOf(bed);
    bed.records.applied({ cluster: "c1", workload: bed.api }, appliedText, {
      resourceVersion: bed.cluster.workload(bed.api)?.resourceVersion ?? "",
      appliedAtSeconds: 0,
    });
    return { ...bed, appliedText, appliedTextNow: () => workloadOf(bed) };
  }
  type Remembered = Awaited<ReturnType<typeof remembered>>;
  const write = (bed: Remembered, appliedText: string | null) =>
    bed.cluster.setWorkload("api", { annotations: { [annotation]: appliedText } });

  test("is replaced by the remembered one, with a higher count", async () => {
    const bed = await remembered();
    write(bed, `{"v":1,"key":"k1","n":9,"sources":{}}`);
    expect(await bed.run()).toBe("recorded");
    const now = parseAppliedState(bed.appliedTextNow(), keys);
    expect({ ...now, count: 1 }).toEqual(parseAppliedState(bed.appliedText, keys));
    expect([now?.count, bed.cluster.rolls()]).toEqual([10, []]);
    expect(await bed.run()).toBe("unchanged");
  });

  test.each([
    ["took it away", null],
    ["wrote another one", `{"v":1,"key":"k1","n":9,"sources":{}}`],
    ["wrote no note at all", "{"],
  ])("hides no change when somebody %s", async (_, appliedText) => {
    const bed = await remembered();
    write(bed, appliedText);
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    expect(await bed.run()).toBe("unchanged");
  });

  test("hides no change when an old one of ours was restored", async () => {
    const bed = await remembered();
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    write(bed, bed.appliedText ?? null);
    bed.edit("1");
    await bed.clock.advance(1000);
    expect(await bed.run()).toBe("rolled");
  });
});

describe("pods are listed", () => {
  test("once when a content is newer than the workload; younger pods adopt it", async () => {
    const bed = await withoutState();
    bed.cluster.pods = [podStarted(bed.changedAt + 5)];
    expect(await bed.observation()).toBe("recorded");
    expect([bed.listed(), bed.cluster.rolls()]).toEqual([1, []]);
    expect(await bed.observation()).toBe("unchanged");
    expect(bed.listed()).toBe(1);
  });

  test("when a content is newer than the workload, and one that started before rolls it", async () => {
    const bed = await withoutState();
    bed.cluster.pods = [podStarted(bed.changedAt + 5), podStarted(bed.madeAt + 1)];
    expect(await bed.observation()).toBe("rolled");
    expect(bed.listed()).toBe(1);
  });

  test("neither for a recorded workload that has not changed, nor for one that has", async () => {
    const bed = await adopted();
    expect(await bed.run()).toBe("unchanged");
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    expect(podLists(bed.cluster.calls)).toBe(0);
  });

  test("not at the first look at a workload whose sources are older than itself", async () => {
    const bed = createTestBed({ engagedAtSeconds: 0 });
    bed.cluster.setSource("ConfigMap", "app", { a: "1" });
    await bed.clock.advance(10_000);
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    await bed.clock.advance(10_000);
    const change = { template: templateUsing({ app: {} }), annotations: auto, fields: selector };
    const api = bed.cluster.setWorkload("api", change);
    expect(outcomeOf(await bed.reconcile(api))).toBe("recorded");
    expect(podLists(bed.cluster.calls)).toBe(0);
  });

  test("not for a workload that does not say which are its pods; it rolls", async () => {
    const bed = await withoutState({}, {});
    expect(await bed.observation()).toBe("rolled");
    expect(bed.listed()).toBe(0);
  });

  // One of those that were not listed may be older.
  test("in vain where there are too many: it rolls", async () => {
    const bed = await withoutState();
    bed.cluster.pods = Array.from({ length: 250 }, () => podStarted(bed.changedAt + 5));
    expect(await bed.observation()).toBe("rolled");
    const few = await withoutState();
    few.cluster.pods = Array.from({ length: 249 }, () => podStarted(few.changedAt + 5));
    expect(await few.observation()).toBe("recorded");
  });
});

describe("a list of pods", () => {
  const target = "Pod/ns?app=app";

  test("that is forbidden does not hold up the decision: it rolls, as without pods", async () => {
    const forbidden = failing("list", target, new Fault("kube.forbidden", "pods is forbidden"), 9);
    const bed = await withoutState({ before: forbidden.before });
    forbidden.arm();
    bed.cluster.pods = [podStarted(bed.changedAt + 5)];
    expect(await bed.observation()).toBe("rolled");
    expect(bed.listed()).toBe(1);
  });

  test("that fails otherwise decides nothing: it is tried again", async () => {
    const broken = failing("list", target, new Fault("kube.timeout", "no answer"));
    const bed = await withoutState({ before: broken.before });
    broken.arm();
    bed.cluster.pods = [podStarted(bed.changedAt + 5)];
    await expect(bed.observation()).rejects.toMatchObject({ code: "kube.timeout" });
    expect([bed.cluster.rolls(), bed.appliedTextOf()]).toEqual([[], undefined]);
    expect(await bed.observation()).toBe("recorded");
  });
});
