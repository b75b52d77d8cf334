import { noteAnnotation } from "@fleet-reloader/domain/carried/note";
import { lastRunAnnotation } from "@fleet-reloader/domain/kind/cron-job";
import { describe, expect, test } from "vitest";
import {
  createKindBed,
  cronJobManifest,
  cutAt,
  jobManifest,
  type KindCase,
  kindCases,
  readsApp,
  rolloutManifest,
} from "./fixture/kind-bed.ts";
import { outcomeOf } from "./fixture/test-bed.ts";

const caseOf = (name: string): KindCase => {
  const found = kindCases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
};
const withObject = (name: string, manifest: object): KindCase => {
  const { workload } = caseOf(name);
  return { name, workload, objects: [[workload.kind, workload.name, manifest]] };
};
const strategies = ["annotations", "env-vars"] as const;

describe.each(kindCases)("$name", (one) => {
  test.each(strategies)("acts once on a change, however often it is delivered (%s)", async (strategy) => {
    const bed = await createKindBed(one, { settings: { strategy } });
    expect(bed.actions()).toBe(0);
    expect(bed.cluster.workload(bed.workload)?.annotations[noteAnnotation("k1")]).toBeDefined();
    bed.change("2");
    const outcomes = [1, 2, 3].map(async () => outcomeOf(await bed.reconcile(bed.workload)));
    expect((await Promise.all(outcomes)).filter((outcome) => outcome === "rolled").length).toBeGreaterThan(0);
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("unchanged");
    expect(bed.actions()).toBe(1);
  });

  test.each(strategies)("does nothing for a change that is none (%s)", async (strategy) => {
    const bed = await createKindBed(one, { settings: { strategy } });
    bed.change("1");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("unchanged");
    expect(bed.actions()).toBe(0);
  });

  test("acts anew when a content comes back, each time", async () => {
    const bed = await createKindBed(one);
    for (const [round, value] of ["2", "1", "2", "1", "2"].entries()) {
      bed.change(value);
      await bed.clock.advance(1000);
      expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
      expect(bed.actions()).toBe(round + 1);
    }
  });

  test("carries the variable with the env-vars strategy, and keeps its containers", async () => {
    const bed = await createKindBed(one, { settings: { strategy: "env-vars" } });
    bed.change("2");
    await bed.reconcile(bed.workload);
    const written = bed.cluster.writes.filter(({ by, after }) => by === "us" && after !== undefined);
    const templates = written.map(({ after }) => JSON.stringify(after?.template));
    if (one.name.includes("restarted")) expect(templates.join()).not.toContain("STAKATER_");
    else expect(templates.join()).toContain("STAKATER_APP_CONFIGMAP");
    for (const template of templates.filter((text) => text?.includes("containers")))
      expect(template).toContain("app:1");
  });

  // Whatever is lost in between, also the request itself: what was decided is done once.
  test.each(["request", "answer"] as const)(
    "acts once when the worker is killed at any call to the API server (%s lost)",
    async (moment) => {
      for (let nth = 1; ; nth += 1) {
        const kill = cutAt(nth, moment);
        const bed = await createKindBed(one, kill.hooks);
        bed.change("2");
        kill.arm();
        await bed.reconcile(bed.workload).catch(() => undefined);
        if (!kill.isCut) break;
        await bed.elsewhere(20_000);
        expect({ nth, actions: bed.actions() }).toEqual({ nth, actions: 1 });
        expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("unchanged");
        expect(bed.cluster.workloadRefs.filter(({ name }) => name.includes("-reload-"))).toEqual([]);
        bed.change("3");
        await bed.reconcile(bed.workload);
        expect({ nth, actions: bed.actions() }).toEqual({ nth, actions: 2 });
      }
    },
  );
});

describe("a CronJob", () => {
  const made = (bed: Awaited<ReturnType<typeof createKindBed>>) =>
    bed.cluster.workloadRefs.filter(({ kind }) => kind === "Job").map((ref) => bed.cluster.workload(ref));

  test("keeps its template; the Job is made of it as `kubectl create job --from` would, and carries the edit", async () => {
    const bed = await createKindBed(caseOf("CronJob"));
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    await bed.reconcile(bed.workload);
    const after = bed.cluster.workload(bed.workload);
    expect(after?.template).toEqual(before?.template);
    const [job] = made(bed);
    expect(after?.annotations[lastRunAnnotation]).toBe(job?.ref.name);
    expect(job?.object).toMatchObject({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name: expect.stringMatching(/^report-[a-z2-7]{10}$/),
        namespace: "ns",
        labels: { batch: "report" },
        annotations: { team: "blue", "cronjob.kubernetes.io/instantiate": "manual" },
        ownerReferences: [
          { apiVersion: "batch/v1", kind: "CronJob", name: "report", uid: before?.uid, controller: true },
        ],
      },
    });
    expect(job?.templateAnnotations["fleet-reloader.io/mark"]).toMatch(/^v1:k1:/);
  });

  test("that is suspended runs nothing, and nothing for an old change when it is resumed", async () => {
    const bed = await createKindBed(withObject("CronJob", cronJobManifest({ suspend: true })));
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("recorded");
    bed.cluster.setWorkload("report", { fields: { spec: { suspend: false } } }, "CronJob");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("unchanged");
    expect(bed.actions()).toBe(0);
    bed.change("3");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(1);
  });

  test("that is suspended runs when that is asked for", async () => {
    const manifest = cronJobManifest({ suspend: true });
    const bed = await createKindBed(withObject("CronJob", manifest), { settings: { reloadSuspended: true } });
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(1);
  });
});

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

  test("that finalizers hold is waited for, its stash kept; it comes back when they are gone", async () => {
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

  test("is never without a successor, also when a worker hangs between its decision and its deletion", async () => {
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
  ])("that is %s is left alone, its note kept; it runs again when that is asked for", async (_, status) => {
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

  test("that is suspended has no pods that could carry anything old: it keeps its place in whatever queue", async () => {
    const bed = await createKindBed(withObject("Job", jobManifest({ spec: { suspend: true } })));
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("recorded");
    expect(bed.cluster.workload(bed.workload)?.uid).toBe(before?.uid);
  });

  test("of a CronJob is neither noted nor made anew", async () => {
    const ownerReferences = [{ kind: "CronJob", name: "report", uid: "u", controller: true }];
    const bed = await createKindBed(withObject("Job", jobManifest({ metadata: { ownerReferences } })));
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

describe("a Rollout", () => {
  test("that is restarted keeps its template", async () => {
    const bed = await createKindBed(caseOf("Rollout that is restarted"));
    const before = bed.cluster.workload(bed.workload);
    bed.change("2");
    await bed.reconcile(bed.workload);
    const after = bed.cluster.workload(bed.workload);
    expect(after?.template).toEqual(before?.template);
    expect(Object(after?.object).spec.restartAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test("that is restarted twice within a second is restarted twice", async () => {
    const bed = await createKindBed(caseOf("Rollout that is restarted"));
    for (const value of ["2", "3"]) {
      bed.change(value);
      await bed.reconcile(bed.workload);
    }
    expect(bed.actions()).toBe(2);
  });

  test("that refers to a Deployment is known for the sources of that", async () => {
    const bed = await createKindBed(caseOf("Rollout that refers to a Deployment"), {
      settings: { debounce: { quietPeriodMs: 1000, maxWaitMs: 1000 } },
    });
    await bed.elsewhere(1000);
    bed.change("2");
    await bed.elsewhere(10_000);
    expect(bed.actions()).toBe(1);
    const template = bed.cluster.workload({ kind: "Deployment", namespace: "ns", name: "web-template" });
    expect(template?.templateAnnotations["fleet-reloader.io/mark"]).toMatch(/^v1:/);
    expect(template?.annotations[noteAnnotation("k1")]).toBeUndefined();
  });

  test("that refers to something we cannot change is restarted", async () => {
    const workloadRef = { apiVersion: "v1", kind: "PodTemplate", name: "web-template" };
    const annotations = { "configmap.reloader.stakater.com/reload": "app" };
    const manifest = { ...rolloutManifest("rollout", { workloadRef }), metadata: { annotations } };
    const bed = await createKindBed(withObject("Rollout", manifest));
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(Object(bed.cluster.workload(bed.workload)?.object).spec.restartAt).toBeDefined();
  });
});

test("a workload whose kind is not served any more is left alone", async () => {
  const bed = await createKindBed(caseOf("CronJob"), { settings: { workloadKinds: [] } });
  bed.change("2");
  expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("ignored");
  expect(bed.cluster.writes.filter(({ by }) => by === "us")).toEqual([]);
});

describe("a stash that is seen", () => {
  const stash = {
    metadata: { annotations: { "fleet-reloader.io/replaces": "migrate" } },
    spec: { suspend: true },
  };
  const asked = (bed: Awaited<ReturnType<typeof createKindBed>>) =>
    bed.queue.additions.filter(({ request }) => request.workload.name === "migrate-reload-x");

  test("is asked for once, when whoever made it had the time to finish; it is in no index", async () => {
    const bed = await createKindBed(caseOf("Job"));
    bed.cluster.setObject("Job", "migrate-reload-x", stash);
    await bed.elsewhere(20_000);
    expect(asked(bed)).toMatchObject([{ quietPeriodMs: 5000, purpose: "change" }]);
    expect(bed.index.workloads).toEqual(["Job/ns/migrate"]);
  });
});
