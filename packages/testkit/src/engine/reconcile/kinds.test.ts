import { appliedAnnotation } from "@fleet-reloader/domain/applied/applied-annotation";
import { lastRunAnnotation } from "@fleet-reloader/domain/kind/cron-job";
import { describe, expect, test } from "vitest";
import {
  caseOf,
  createKindBed,
  cronJobManifest,
  cutAt,
  type KindCase,
  kindCases,
  rolloutManifest,
  withObject,
} from "../../beds/kind-bed.ts";
import { outcomeOf } from "../../beds/test-bed.ts";

const strategies = ["annotations", "env-vars"] as const;

describe.each(kindCases)("$name", (one) => {
  test.each(strategies)("acts once on a change, however often it is delivered (%s)", async (strategy) => {
    const bed = await createKindBed(one, { settings: { strategy } });
    expect(bed.actions()).toBe(0);
    expect(bed.cluster.workload(bed.workload)?.annotations[appliedAnnotation("k1")]).toBeDefined();
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

  test("does nothing when its source is ignored for a while with the same content", async () => {
    const bed = await createKindBed(one, { engagedAtSeconds: 0 });
    bed.change("2");
    await bed.reconcile(bed.workload);
    const before = bed.actions();
    for (const annotations of [{ "reloader.stakater.com/ignore": "true" }, {}]) {
      await bed.clock.advance(60_000);
      bed.cluster.setSource("ConfigMap", "app", { a: "2" }, annotations);
      await bed.reconcile(bed.workload);
    }
    expect(bed.actions()).toBe(before);
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
      await killAtEachCall(one, moment, async (bed) => {
        await bed.elsewhere(20_000);
        expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("unchanged");
        expect(bed.cluster.workloadRefs.filter(({ name }) => name.includes("-reload-"))).toEqual([]);
      });
    },
  );

  // Redis has not heard of the last write: the same request comes back, and what stands on the workload is in doubt.
  test.each(["request", "answer"] as const)(
    "acts once when its request comes back after the worker was killed (%s lost)",
    async (moment) => {
      await killAtEachCall(one, moment, async (bed) => {
        await bed.clock.advance(2000);
        for (const attemptsMade of [1, 2]) {
          const again = { purpose: "change", attemptsMade, isDoubtful: attemptsMade === 1 } as const;
          await bed.reconcile(bed.workload, again);
          await bed.elsewhere(20_000);
        }
      });
    },
  );
});

/** Kills the worker at its first call, its second and so on. After it has recovered it has acted once, and acts once on the next change. */
async function killAtEachCall(
  one: KindCase,
  moment: "request" | "answer",
  recover: (bed: Awaited<ReturnType<typeof createKindBed>>) => Promise<void>,
): Promise<void> {
  for (let nth = 1; ; nth += 1) {
    const kill = cutAt(nth, moment);
    const bed = await createKindBed(one, kill.hooks);
    bed.change("2");
    kill.arm();
    await bed.reconcile(bed.workload).catch(() => undefined);
    if (!kill.isCut) break;
    await recover(bed);
    expect({ nth, actions: bed.actions() }).toEqual({ nth, actions: 1 });
    bed.change("3");
    await bed.reconcile(bed.workload);
    expect({ nth, actions: bed.actions() }).toEqual({ nth, actions: 2 });
  }
}

test.each(kindCases)(
  "$name that is frozen while a write of it waits for its turn is not rolled",
  async (one) => {
    const world: { freeze: () => Promise<void> } = { freeze: async () => undefined };
    const bed = await createKindBed(one, {
      turn: async ({ verb }) => {
        if (verb === "patch" || verb === "create" || verb === "delete") await world.freeze();
      },
    });
    const isDeleted = () => bed.cluster.writes.some(({ by, after }) => by === "us" && after === undefined);
    world.freeze = async () => {
      bed.freezes.freezes = [{ scope: {}, reason: "release", by: "ann" }];
      await bed.clock.sleep(100, new AbortController().signal);
    };
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("Frozen");
    expect({ actions: bed.actions(), isDeleted: isDeleted() }).toEqual({ actions: 0, isDeleted: false });
    bed.freezes.freezes = [];
    world.freeze = async () => undefined;
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(1);
  },
);

describe("a CronJob", () => {
  const made = (bed: Awaited<ReturnType<typeof createKindBed>>) =>
    bed.cluster.workloadRefs.filter(({ kind }) => kind === "Job").map((ref) => bed.cluster.workload(ref));

  test("keeps its template; the Job is made as `kubectl create job --from` does, edited", async () => {
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
    expect(template?.annotations[appliedAnnotation("k1")]).toBeUndefined();
  });

  // The pods of the template that was restored read what is there then, which is not what it was made for.
  test.each(strategies)(
    "whose Deployment was undone is rolled when its content is back (%s)",
    async (strategy) => {
      const bed = await createKindBed(caseOf("Rollout that refers to a Deployment"), {
        settings: { strategy },
      });
      const owner = { kind: "Deployment", namespace: "ns", name: "web-template" };
      const rollTo = async (value: string) => {
        await bed.clock.advance(2000);
        bed.change(value);
        await bed.reconcile(bed.workload);
        return bed.cluster.workload(owner);
      };
      const undone = await rollTo("2");
      await rollTo("3");
      // `kubectl rollout undo` restores the annotations of the Deployment, too.
      const { template, annotations = {} } = undone ?? {};
      bed.cluster.setWorkload(owner.name, { template, annotations, manager: "kubectl-rollout" });
      await rollTo("2");
      expect(bed.actions()).toBe(3);
    },
  );

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
