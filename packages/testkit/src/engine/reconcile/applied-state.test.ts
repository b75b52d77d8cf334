import { parseAppliedState } from "@fleet-reloader/domain/applied/applied-state";
import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { describe, expect, test, vi } from "vitest";
import { adopted } from "../../beds/adopted-deployment.ts";
import { outcomeOf, stateAnnotation } from "../../beds/test-bed.ts";
import { unrecordedDeployment } from "../../beds/unrecorded-deployment.ts";
import type { ClusterCall } from "../../memory/memory-calls.ts";

const keys = testKeyring("k1");

describe("a doubtful delivery", () => {
  const countOf = (text: string | undefined) => parseAppliedState(text, keys)?.count;

  test("that finds nothing to do writes the applied state with a higher count, once", async () => {
    const bed = await adopted();
    const before = bed.cluster.workload(bed.api)?.annotations[stateAnnotation];
    expect(countOf(before)).toBe(1);
    const result = await bed.reconcile(bed.api, { isDoubtful: true, attemptsMade: 1 });
    expect(outcomeOf(result)).toBe("recorded");
    const after = bed.cluster.workload(bed.api)?.annotations[stateAnnotation];
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
    const late = { resourceVersion: live?.resourceVersion ?? "", annotations: { [stateAnnotation]: "late" } };
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
      const appliedText = bed.cluster.workload(bed.api)?.annotations[stateAnnotation] ?? "";
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
    const appliedText = bed.cluster.workload(bed.api)?.annotations[stateAnnotation] ?? "";
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
    const bed = await unrecordedDeployment({ before: redis.before });
    redis.of(bed);
    expect(await bed.observation()).toBe("rolled");
    expect(redis.held).toEqual([""]);
  });
});

describe("an applied state that somebody else has touched", () => {
  const workloadOf = (bed: Awaited<ReturnType<typeof adopted>>) => {
    if (bed.index.records === undefined) throw new Error("there is no Redis");
    return bed.cluster.workload(bed.api)?.annotations[stateAnnotation];
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
    bed.cluster.setWorkload("api", { annotations: { [stateAnnotation]: appliedText } });

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
