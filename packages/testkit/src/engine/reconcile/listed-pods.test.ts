import { Fault } from "@fleet-reloader/domain/fault";
import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { describe, expect, test } from "vitest";
import { adopted, failing } from "../../beds/adopted-deployment.ts";
import { caseOf, createKindBed } from "../../beds/kind-bed.ts";
import { auto, createTestBed, outcomeOf } from "../../beds/test-bed.ts";
import { podLists, podSelector, unrecordedDeployment } from "../../beds/unrecorded-deployment.ts";

const text = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");

/** A pod whose container started at that second, and its init container when the pod was made. */
function podStarted(at: number, madeAt = at - 1): object {
  const startedAt = text(madeAt);
  return {
    metadata: { creationTimestamp: text(madeAt), labels: { app: "app", "pod-template-hash": "one" } },
    status: {
      phase: "Running",
      initContainerStatuses: [{ name: "render", state: { terminated: { exitCode: 0, startedAt } } }],
      containerStatuses: [{ name: "main", state: { running: { startedAt: text(at) } } }],
    },
  };
}

describe("pods are listed", () => {
  test("once when a content is newer than the workload; younger pods adopt it", async () => {
    const bed = await unrecordedDeployment();
    bed.cluster.pods = [podStarted(bed.changedAt + 5)];
    expect(await bed.observation()).toBe("recorded");
    expect([bed.listed(), bed.cluster.rolls()]).toEqual([1, []]);
    expect(await bed.observation()).toBe("unchanged");
    expect(bed.listed()).toBe(1);
  });

  test("when a content is newer than the workload, and one that started before rolls it", async () => {
    const bed = await unrecordedDeployment();
    bed.cluster.pods = [podStarted(bed.changedAt + 5), podStarted(bed.madeAt + 1)];
    expect(await bed.observation()).toBe("rolled");
    expect(bed.listed()).toBe(1);
  });

  // It ran out of memory. What its init container made of the older content is still there.
  test("and one whose container started again in place after the change rolls it", async () => {
    const bed = await unrecordedDeployment();
    bed.cluster.pods = [podStarted(bed.changedAt + 5, bed.madeAt + 1)];
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
    const change = { template: templateUsing({ app: {} }), annotations: auto, fields: podSelector };
    const api = bed.cluster.setWorkload("api", change);
    expect(outcomeOf(await bed.reconcile(api))).toBe("recorded");
    expect(podLists(bed.cluster.calls)).toBe(0);
  });

  test("not for a workload that does not say which are its pods; it rolls", async () => {
    const bed = await unrecordedDeployment({}, {});
    expect(await bed.observation()).toBe("rolled");
    expect(bed.listed()).toBe(0);
  });

  // Argo takes the selector of the Deployment where the Rollout has none.
  test("of a Rollout by the selector of the Deployment that it refers to", async () => {
    const { workload, objects } = caseOf("Rollout that refers to a Deployment");
    const spec = (image: string) => ({
      spec: { ...podSelector.spec, template: templateUsing({ app: {} }, image) },
    });
    const bed = await createKindBed({
      ...{ name: "it", workload },
      objects: [...objects.slice(0, 1), ["Deployment", "web-template", spec("app:1")]],
    });
    bed.change("2");
    bed.cluster.setObject("Deployment", "web-template", spec("app:2"));
    await bed.clock.advance(10_000);
    bed.cluster.pods = [podStarted(bed.serverSeconds() - 5)];
    expect(outcomeOf(await bed.reconcile(workload))).toBe("recorded");
    expect(bed.cluster.calls.map(({ target }) => target)).toContain("Pod/ns?app=app");
  });

  // One of those that were not listed may be older.
  test("in vain where there are too many: it rolls", async () => {
    const bed = await unrecordedDeployment();
    bed.cluster.pods = Array.from({ length: 250 }, () => podStarted(bed.changedAt + 5));
    expect(await bed.observation()).toBe("rolled");
    const few = await unrecordedDeployment();
    few.cluster.pods = Array.from({ length: 249 }, () => podStarted(few.changedAt + 5));
    expect(await few.observation()).toBe("recorded");
  });
});

describe("a list of pods", () => {
  const target = "Pod/ns?app=app";

  test("that is forbidden does not hold up the decision: it rolls, as without pods", async () => {
    const forbidden = failing("list", target, new Fault("kube.forbidden", "pods is forbidden"), 9);
    const bed = await unrecordedDeployment({ before: forbidden.before });
    forbidden.arm();
    bed.cluster.pods = [podStarted(bed.changedAt + 5)];
    expect(await bed.observation()).toBe("rolled");
    expect(bed.listed()).toBe(1);
  });

  test("that fails otherwise decides nothing: it is tried again", async () => {
    const broken = failing("list", target, new Fault("kube.timeout", "no answer"));
    const bed = await unrecordedDeployment({ before: broken.before });
    broken.arm();
    bed.cluster.pods = [podStarted(bed.changedAt + 5)];
    await expect(bed.observation()).rejects.toMatchObject({ code: "kube.timeout" });
    expect([bed.cluster.rolls(), bed.appliedTextOf()]).toEqual([[], undefined]);
    expect(await bed.observation()).toBe("recorded");
  });
});
