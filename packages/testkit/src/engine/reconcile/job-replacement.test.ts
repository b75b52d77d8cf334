import { explanationText } from "@fleet-reloader/engine/ask/explanation-text";
import { describe, expect, test } from "vitest";
import { askingOf } from "../../beds/asked-bed.ts";
import { caseOf, createKindBed, cutAt, jobManifest, readsApp, withObject } from "../../beds/kind-bed.ts";
import { outcomeOf } from "../../beds/test-bed.ts";

describe("a Job", () => {
  const done = { conditions: [{ type: "Complete", status: "True" }] };
  const failed = { conditions: [{ type: "Failed", status: "True" }] };

  test("is made anew under its name with all it had, without what was the API server's", async () => {
    const template = {
      metadata: { labels: { app: "app", "job-name": "migrate", "batch.kubernetes.io/controller-uid": "x" } },
      spec: readsApp.spec,
    };
    const manifest = jobManifest({
      metadata: {
        labels: { team: "blue", "controller-uid": "x" },
        ownerReferences: [{ kind: "App", uid: "app-1" }],
      },
      spec: { selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "x" } }, template },
    });
    const bed = await createKindBed(withObject("Job", manifest));
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    await bed.reconcile(bed.workload);
    const after = bed.cluster.workload(bed.workload);
    expect(after?.uid).not.toBe(before?.uid);
    expect(after?.annotations).toMatchObject({ "reloader.stakater.com/auto": "true" });
    expect(after?.object).toMatchObject({
      metadata: { labels: { team: "blue" }, ownerReferences: [{ kind: "App", uid: "app-1" }] },
      spec: { backoffLimit: 2, suspend: false, template: { metadata: { labels: { app: "app" } } } },
    });
    expect(JSON.stringify(after?.object)).not.toMatch(
      /"(job-name|controller-uid|batch.kubernetes.io[^"]*|selector)"/,
    );
    expect(bed.cluster.workloadRefs).toEqual([bed.workload]);
  });

  test("keeps a selector of its own", async () => {
    const selector = { matchLabels: { app: "app" } };
    const bed = await createKindBed(
      withObject("Job", jobManifest({ spec: { manualSelector: true, selector } })),
    );
    bed.change("2");
    await bed.reconcile(bed.workload);
    expect(bed.cluster.workload(bed.workload)?.object).toMatchObject({
      spec: { manualSelector: true, selector },
    });
    const stash = bed.cluster.writes.find(({ target }) => target.includes("-reload-"));
    expect(Object(stash?.after?.object).spec.selector).toBeUndefined();
  });

  test("is not deleted when quota or admission allow no Job", async () => {
    const refuse = (call: { readonly verb: string }) => {
      if (call.verb === "create") throw new Error("exceeded quota");
    };
    const bed = await createKindBed(caseOf("Job"), { before: refuse });
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    await expect(bed.reconcile(bed.workload)).rejects.toThrow("exceeded quota");
    expect(bed.cluster.workload(bed.workload)).toEqual(before);
  });

  test("that finalizers hold keeps its stash, and comes back when they are gone", async () => {
    const bed = await createKindBed(
      withObject("Job", jobManifest({ metadata: { finalizers: ["example.com/held"] } })),
    );
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("JobTerminating");
    await bed.elsewhere(30_000);
    expect(bed.cluster.workload(bed.workload)?.uid).toBe(before?.uid);
    expect(bed.cluster.workloadRefs).toHaveLength(2);
    bed.cluster.deleteWorkload(bed.workload);
    await bed.elsewhere(10_000);
    expect(bed.cluster.workload(bed.workload)?.uid).not.toBe(before?.uid);
    expect(bed.cluster.workloadRefs).toEqual([bed.workload]);
    expect(bed.actions()).toBe(1);
    expect(bed.meter.count("rolled c1 Job SourceChanged")).toBe(1);
  });

  test("whose content came back before it was deleted stays, and the stash goes", async () => {
    const kill = cutAt(4, "request");
    const bed = await createKindBed(caseOf("Job"), kill.hooks);
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    kill.arm();
    await bed.reconcile(bed.workload).catch(() => undefined);
    expect(bed.cluster.workloadRefs).toHaveLength(2);
    bed.change("1");
    await bed.elsewhere(20_000);
    expect(bed.cluster.workload(bed.workload)?.uid).toBe(before?.uid);
    expect(bed.cluster.workloadRefs).toEqual([bed.workload]);
    expect(bed.actions()).toBe(0);
    bed.change("2");
    await bed.reconcile(bed.workload);
    expect(bed.actions()).toBe(1);
  });

  test("is never without a successor, also when a worker hangs before its deletion", async () => {
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const hang = async (call: { readonly verb: string }) => {
      if (call.verb !== "delete" || isHeld) return;
      isHeld = true;
      await gate.promise;
    };
    const bed = await createKindBed(caseOf("Job"), { before: hang });
    bed.change("2");
    let isOver = false;
    const hanging = bed.reconcile(bed.workload).catch(() => undefined);
    void hanging.then(() => {
      isOver = true;
    });
    while (!isHeld) await bed.clock.advance(1);
    // Another worker decides that it stays, and takes the stash away.
    bed.change("1");
    await bed.elsewhere(20_000);
    expect(bed.cluster.workloadRefs).toEqual([bed.workload]);
    gate.resolve();
    while (!isOver) await bed.clock.advance(10);
    await bed.elsewhere(20_000);
    expect(bed.cluster.workload(bed.workload)).toBeDefined();
    expect(bed.actions()).toBe(0);
  });

  test.each([
    ["complete", done],
    ["failed", failed],
  ])("that is %s is left alone with its applied state; it runs again when asked for", async (_, status) => {
    const finished = withObject("Job", jobManifest({ status }));
    const bed = await createKindBed(finished);
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("recorded");
    expect(bed.actions()).toBe(0);
    const asked = await createKindBed(finished, { settings: { reloadFinished: true } });
    asked.change("2");
    expect(outcomeOf(await asked.reconcile(asked.workload))).toBe("rolled");
    expect(asked.actions()).toBe(1);
  });

  test("that is suspended has no pods to replace, and keeps its place in its queue", async () => {
    const bed = await createKindBed(withObject("Job", jobManifest({ spec: { suspend: true } })));
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("recorded");
    expect(bed.cluster.workload(bed.workload)?.uid).toBe(before?.uid);
  });

  test.each(["CronJob", "ScaledJob"])("of a %s is neither recorded nor made anew", async (kind) => {
    const ownerReferences = [{ kind, name: "report", uid: "u", controller: true }];
    const bed = await createKindBed(withObject("Job", jobManifest({ metadata: { ownerReferences } })));
    const explained = explanationText(await askingOf(bed).explain("migrate", "Job"));
    expect(explained).toContain("OwnedByAnother. Another object controls the Job, so the Job is left to it");
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("ignored");
    await bed.elsewhere(10_000);
    expect(bed.cluster.writes.filter(({ by }) => by === "us")).toEqual([]);
  });

  test("has a stash that people damaged: it is left as it is, and said", async () => {
    const bed = await createKindBed(caseOf("Job"));
    const stash = bed.cluster.setObject("Job", "migrate-reload-x", {
      metadata: { annotations: { "fleet-reloader.io/replaces": "migrate" } },
      spec: { suspend: true, template: readsApp },
    });
    expect(outcomeOf(await bed.reconcile(stash))).toBe("ignored");
    expect(bed.cluster.workload(stash)).toBeDefined();
    expect(JSON.stringify(bed.log.lines)).toContain("StashUnreadable");
  });
});

describe("a stash that is seen", () => {
  const stash = {
    metadata: { annotations: { "fleet-reloader.io/replaces": "migrate" } },
    spec: { suspend: true },
  };
  const asked = (bed: Awaited<ReturnType<typeof createKindBed>>) =>
    bed.queue.additions.filter(({ request }) => request.workload.name === "migrate-reload-x");

  test("is asked for once, after its worker had the time to finish, and is in no index", async () => {
    const bed = await createKindBed(caseOf("Job"));
    bed.cluster.setObject("Job", "migrate-reload-x", stash);
    await bed.elsewhere(20_000);
    expect(asked(bed)).toMatchObject([{ quietPeriodMs: 5000, purpose: "change" }]);
    expect(bed.index.workloads).toEqual(["Job/ns/migrate"]);
  });
});
