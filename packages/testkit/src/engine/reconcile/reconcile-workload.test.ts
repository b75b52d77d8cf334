import { appliedAnnotation } from "@fleet-reloader/domain/applied/applied-annotation";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { adopted } from "../../beds/adopted-deployment.ts";
import { auto, createTestBed, outcomeOf } from "../../beds/test-bed.ts";

describe("a workload whose sources", () => {
  test("were never looked at is recorded and not rolled", async () => {
    const { cluster, api } = await adopted();
    expect(cluster.rolls()).toEqual([]);
    expect(cluster.workload(api)?.annotations[appliedAnnotation("k1")]).toContain("ConfigMap/app");
  });

  test("are as recorded is read and not written", async () => {
    const { run, patches } = await adopted();
    expect(await run()).toBe("unchanged");
    expect(patches()).toBe(1);
  });

  test("differ is rolled once, however often it is delivered", async () => {
    const { run, edit, cluster, patches } = await adopted();
    edit("2");
    expect([await run(), await run(), await run()]).toEqual(["rolled", "unchanged", "unchanged"]);
    expect(cluster.rolls()).toHaveLength(1);
    expect(patches()).toBe(2);
  });

  test("differ gets mark and applied state in one write: one cannot be without the other", async () => {
    const { run, edit, cluster, api } = await adopted();
    const note = cluster.workload(api)?.annotations[appliedAnnotation("k1")];
    edit("2");
    await run();
    const [write] = cluster.rolls();
    expect(write?.before?.annotations[appliedAnnotation("k1")]).toBe(note);
    expect(write?.after?.annotations[appliedAnnotation("k1")]).not.toBe(note);
  });

  test("changed and changed back in between is left alone", async () => {
    const { run, edit, cluster } = await adopted();
    edit("2");
    edit("1");
    expect(await run()).toBe("unchanged");
    expect(cluster.rolls()).toEqual([]);
  });

  test("changed only in their metadata is left alone (T4)", async () => {
    const { run, cluster } = await adopted();
    cluster.setSource("ConfigMap", "app", { a: "1" }, { note: "new" });
    expect(await run()).toBe("unchanged");
  });

  test("are ignored by their own annotation is left alone", async () => {
    const { run, cluster } = await adopted();
    cluster.setSource("ConfigMap", "app", { a: "2" }, { "reloader.stakater.com/ignore": "true" });
    await run();
    expect(cluster.rolls()).toEqual([]);
  });

  test("match a search counts, and only then", async () => {
    const bed = await adopted({}, { "reloader.stakater.com/search": "true" });
    bed.edit("2");
    await bed.run();
    expect(bed.cluster.rolls()).toEqual([]);
    bed.cluster.setSource("ConfigMap", "app", { a: "2" }, { "reloader.stakater.com/match": "true" });
    await bed.run();
    bed.cluster.setSource("ConfigMap", "app", { a: "3" }, { "reloader.stakater.com/match": "true" });
    expect(await bed.run()).toBe("rolled");
  });

  test("match a name pattern counts without a reference, and only those names are read", async () => {
    const bed = await adopted({}, { "configmap.reloader.stakater.com/reload": "tenant-.*" });
    bed.cluster.setSource("ConfigMap", "tenant-1", { a: "1" });
    bed.cluster.setSource("ConfigMap", "other", { a: "1" });
    expect(await bed.run()).toBe("recorded");
    bed.cluster.setSource("ConfigMap", "other", { a: "2" });
    expect(await bed.run()).toBe("unchanged");
    bed.cluster.setSource("ConfigMap", "tenant-1", { a: "2" });
    expect(await bed.run()).toBe("rolled");
    expect(bed.cluster.calls).not.toContainEqual({ verb: "read", target: "ConfigMap/ns/other" });
  });

  test("are written as variables where the workload asks for it", async () => {
    const strategy = { "fleet-reloader.io/strategy": "env-vars" };
    const bed = await adopted({}, { ...auto, ...strategy });
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    expect(JSON.stringify(bed.cluster.workload(bed.api)?.template)).toContain("STAKATER_APP_CONFIGMAP");
  });
});

describe("a request leads to nothing when", () => {
  test("the workload is gone", async () => {
    const bed = await adopted();
    bed.cluster.deleteWorkload(bed.api);
    expect(await bed.run()).toBe("gone");
  });

  test("the workload is being deleted", async () => {
    const bed = await adopted();
    bed.cluster.startDeleting(bed.api);
    bed.edit("2");
    expect(await bed.run()).toBe("gone");
  });

  test.each([
    ["to be rolled", auto],
    ["to be noted", {}],
  ])("the workload was %s and is gone before the write", async (_, annotations) => {
    let vanish: (() => void) | undefined;
    const bed = await adopted({ before: ({ verb }) => (verb === "patch" ? vanish?.() : undefined) });
    vanish = () => bed.cluster.deleteWorkload(bed.api);
    bed.cluster.setWorkload("api", { annotations: { "reloader.stakater.com/auto": null, ...annotations } });
    bed.edit("2");
    expect(await bed.run()).toBe("gone");
  });

  test("the workload has opted in to nothing: not a read more, not a write", async () => {
    const bed = createTestBed();
    const api = bed.cluster.setWorkload("api", { template: templateUsing({ app: {} }) });
    expect(outcomeOf(await bed.reconcile(api))).toBe("ignored");
    expect(bed.cluster.calls).toEqual([{ verb: "read", target: "Deployment/ns/api" }]);
  });

  test("the workload has opted out: it loses its applied state, and no pod is made anew", async () => {
    const bed = await adopted();
    bed.cluster.setWorkload("api", { annotations: { "reloader.stakater.com/auto": "false" } });
    bed.edit("2");
    expect(await bed.run()).toBe("recorded");
    expect(bed.cluster.workload(bed.api)?.annotations).toEqual({ "reloader.stakater.com/auto": "false" });
    expect(bed.cluster.rolls()).toEqual([]);
    expect(await bed.run()).toBe("ignored");
  });

  test("this worker does not know the cluster: the request waits, no attempt is used up", async () => {
    const bed = createTestBed();
    const workload = { kind: "Deployment", namespace: "ns", name: "api" };
    const delivery = {
      attemptsMade: 0,
      isDoubtful: false,
      purpose: "change" as const,
      signal: bed.lifetime.signal,
    };
    expect(await bed.handler({ cluster: "other", workload }, delivery)).toEqual({
      type: "again",
      afterMs: 5000,
      reason: "ClusterUnknown",
    });
    expect(bed.meter.count("reconciled unknown held")).toBe(1);
  });
});

describe("an adoption that finds a change", () => {
  const window = { debounce: { quietPeriodMs: 2000, maxWaitMs: 30_000 } };

  // Whoever applies a workload may be about to apply its sources.
  test("waits for the quiet period like any other change, and writes nothing before", async () => {
    const bed = await adopted({ settings: window });
    bed.edit("2");
    const result = await bed.reconcile(bed.api, { purpose: "adoption" });
    expect(outcomeOf(result)).toBe("unchanged");
    expect(bed.cluster.rolls()).toEqual([]);
    expect(bed.queue.additions).toEqual([
      {
        request: { cluster: "c1", workload: bed.api },
        quietPeriodMs: 2000,
        maxWaitMs: 30_000,
        purpose: "change",
      },
    ]);
    await bed.clock.advance(2000);
    await bed.queue.run(bed.handler);
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("rolls at once where there is no quiet period", async () => {
    const bed = await adopted();
    bed.edit("2");
    expect(outcomeOf(await bed.reconcile(bed.api, { purpose: "adoption" }))).toBe("rolled");
  });

  test("follows the workload's own window", async () => {
    const bed = await adopted({ settings: window }, { ...auto, "fleet-reloader.io/debounce": "0" });
    bed.edit("2");
    expect(outcomeOf(await bed.reconcile(bed.api, { purpose: "adoption" }))).toBe("rolled");
  });
});

describe("an annotation that cannot be read", () => {
  test("is reported, and the rest of the workload counts all the same (X9)", async () => {
    const bed = await adopted({}, { "configmap.reloader.stakater.com/reload": "app,(" });
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
    const [line] = bed.log.lines.filter(({ level }) => level === "warn");
    expect(line?.fields).toMatchObject({ workload: bed.api, reason: "AnnotationUnreadable" });
    expect(line?.message).toMatch(/"\(" is left out.*; write names/);
  });

  test("disturbs no other workload", async () => {
    const bed = await adopted();
    const broken = bed.cluster.setWorkload("broken", {
      template: { spec: { containers: "none", volumes: 7 } },
      annotations: {
        ...auto,
        [appliedAnnotation("k1")]: "{",
        "fleet-reloader.io/debounce": "soon",
        "secret.reloader.stakater.com/reload": `${"(".repeat(300)},${"x,".repeat(6000)}`,
      },
    });
    expect(outcomeOf(await bed.reconcile(broken))).toBe("recorded");
    bed.edit("2");
    expect(await bed.run()).toBe("rolled");
  });
});

describe("many workloads of one source", () => {
  test("share its reads, and each sees what was there after its own request", async () => {
    const bed = await adopted();
    const names = Array.from({ length: 50 }, (_, at) => `api-${at}`);
    const refs = names.map((name) =>
      bed.cluster.setWorkload(name, { template: templateUsing({ app: {} }), annotations: auto }),
    );
    for (const ref of refs) await bed.reconcile(ref);
    bed.cluster.calls.length = 0;
    bed.edit("2");
    const outcomes = await Promise.all(refs.map((ref) => bed.reconcile(ref)));
    expect(new Set(outcomes.map(outcomeOf))).toEqual(new Set(["rolled"]));
    const reads = bed.cluster.calls.filter((call) => call.target === "ConfigMap/ns/app");
    expect(reads.length).toBeLessThanOrEqual(3);
  });
});
