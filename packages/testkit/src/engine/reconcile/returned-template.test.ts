import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { readWatchedWorkload } from "@fleet-reloader/engine/watch/watched-workload";
import { describe, expect, test } from "vitest";
import { auto, createTestBed, outcomeOf } from "../../beds/test-bed.ts";
import { podLists } from "../../beds/unrecorded-deployment.ts";

const template = (image: string) => ({
  metadata: { labels: { app: "api" } },
  spec: { containers: [{ name: "main", image, envFrom: [{ configMapRef: { name: "app" } }] }] },
});
const fields = { spec: { selector: { matchLabels: { app: "api" } } } };
const rolledOut = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
const hanging = { replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
const waits = { waiting: { reason: "ImagePullBackOff" } };

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}

/** A Deployment that was adopted long ago. Its pod has run all the time. */
async function longAdopted(settings: Partial<Settings> = {}) {
  const bed = createTestBed({
    engagedAtSeconds: 0,
    settings: { debounce: { quietPeriodMs: 0, maxWaitMs: 0 }, ...settings },
  });
  const { clock, cluster } = bed;
  const pod = (hash: string, state: object = { running: { startedAt: timeText(clock.now()) } }) => ({
    metadata: {
      creationTimestamp: timeText(clock.now()),
      labels: { app: "api", "pod-template-hash": hash },
    },
    status: { phase: "Running", containerStatuses: [{ name: "main", state }] },
  });
  cluster.setSource("ConfigMap", "app", { a: "1" });
  const api = cluster.setWorkload("api", { template: template("m:1"), annotations: auto, fields });
  await clock.advance(1000);
  const first = pod("one");
  cluster.pods = [first];
  cluster.setStatus(api, rolledOut);
  await clock.advance(10_000);
  await bed.reconcile(api, { purpose: "adoption" });
  await clock.advance(600_000);
  return {
    ...{ ...bed, api, first, pod },
    look: async (purpose: "adoption" | "audit" | "change" = "adoption") => {
      const outcome = outcomeOf(await bed.reconcile(api, { purpose }));
      await clock.advance(10_000);
      return outcome;
    },
    /** Somebody applies this; a pod of it waits for its image. */
    async apply(image: string): Promise<void> {
      cluster.setWorkload("api", { template: template(image) });
      cluster.setStatus(api, hanging);
      await clock.advance(1000);
      cluster.pods = [first, pod("two", waits)];
      await clock.advance(2000);
    },
    /** `kubectl rollout undo`: this template is there again, with these pods. */
    async undo(before: unknown, pods: readonly object[] = [first]): Promise<void> {
      cluster.setWorkload("api", { template: before, manager: "kubectl-rollout" });
      cluster.pods = pods;
      cluster.setStatus(api, rolledOut);
      await clock.advance(10_000);
    },
  };
}

describe("a Deployment whose template returned while its pods still ran is rolled", () => {
  test.each(["adoption", "audit", "change"] as const)(
    "when its ConfigMap was applied with the image that hung, at a look for %s",
    async (purpose) => {
      const bed = await longAdopted();
      bed.cluster.setSource("ConfigMap", "app", { a: "2" });
      await bed.apply("m:2");
      expect(await bed.look("change")).toBe("recorded");
      await bed.undo(template("m:1"));
      await bed.look(purpose);
      // An audit asks for the roll, like for any change.
      if (purpose === "audit") await bed.look("change");
      expect(bed.cluster.rolls()).toHaveLength(1);
    },
  );

  test("when our own roll was undone", async () => {
    const bed = await longAdopted();
    const before = bed.cluster.workload(bed.api)?.template;
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    expect(await bed.look("change")).toBe("rolled");
    await bed.undo(before);
    expect(await bed.look()).toBe("rolled");
    expect(bed.cluster.rolls()).toHaveLength(2);
  });

  test("when our own roll brought it back, as soon as its rollout is over", async () => {
    const bed = await longAdopted({ strategy: "env-vars" });
    const { api, clock, cluster, pod } = bed;
    const rollFor = async (a: string, status: object) => {
      cluster.setSource("ConfigMap", "app", { a });
      expect(await bed.look("change")).toBe("rolled");
      cluster.setStatus(api, status);
      return cluster.workload(api)?.template;
    };
    const isAskedFor = async () => {
      const live = await cluster.readWorkload(api, new AbortController().signal);
      return live && (await readWatchedWorkload(live, bed.settings, bed.names)).mayHaveReturned;
    };
    const good = await rollFor("good", rolledOut);
    await rollFor("bad", hanging);
    // A pod of before is evicted, and the one in its place reads what is bad.
    cluster.pods = [pod("one"), pod("two", waits)];
    await clock.advance(10_000);
    expect(await rollFor("good", hanging)).toEqual(good);
    expect([await bed.look(), await isAskedFor()]).toEqual(["unchanged", false]);
    cluster.pods = cluster.pods.slice(0, 1);
    cluster.setStatus(api, rolledOut);
    expect(await isAskedFor()).toBe(true);
    expect(await bed.look()).toBe("rolled");
    cluster.pods = [pod("three")];
    cluster.setStatus(api, rolledOut);
    expect([await isAskedFor(), await bed.look()]).toEqual([false, "unchanged"]);
  });
});

test("a Deployment that was undone after its rollout is looked at once and not rolled", async () => {
  const bed = await longAdopted();
  bed.cluster.setSource("ConfigMap", "app", { a: "2" });
  await bed.apply("m:2");
  await bed.look("change");
  await bed.undo(template("m:1"), [bed.pod("one")]);
  expect(await bed.look()).toBe("recorded");
  const lists = podLists(bed.cluster.calls);
  expect([await bed.look(), await bed.look("change")]).toEqual(["unchanged", "unchanged"]);
  expect(podLists(bed.cluster.calls)).toBe(lists);
  expect(bed.cluster.rolls()).toEqual([]);
});

/** `api-worker` selects more narrowly: its pods have all labels that `api` selects by. */
function podOfSibling(pod: object): object {
  const controller = { kind: "ReplicaSet", name: "api-worker-7d9f", uid: "rs", controller: true };
  const { metadata } = structuredClone(pod) as { metadata: object };
  return { ...pod, metadata: { ...metadata, ownerReferences: [controller] } };
}

describe("the pods of a Deployment with a longer name and the same labels", () => {
  test("cause no roll when they have run since before a change", async () => {
    const bed = await longAdopted();
    const sibling = podOfSibling(bed.first);
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    expect(await bed.look("change")).toBe("rolled");
    const rolled = bed.cluster.workload(bed.api)?.templateAnnotations;
    const image = { ...template("m:2"), metadata: { labels: { app: "api" }, annotations: rolled } };
    await bed.undo(image, [bed.pod("three"), sibling]);
    expect(await bed.look()).toBe("recorded");
    expect(bed.cluster.rolls()).toHaveLength(1);
  });

  test("prevent no roll when they started after a change", async () => {
    const bed = await longAdopted();
    await bed.undo(template("m:2"), [bed.pod("two")]);
    bed.cluster.setSource("ConfigMap", "app", { a: "2" });
    await bed.clock.advance(20_000);
    bed.cluster.pods = [...bed.cluster.pods, podOfSibling(bed.pod("w"))];
    await bed.clock.advance(1000);
    expect(await bed.look("change")).toBe("rolled");
  });
});

test("an undone Deployment with more pods than are listed is left as it is", async () => {
  const bed = await longAdopted();
  bed.cluster.setSource("ConfigMap", "app", { a: "2" });
  await bed.look("change");
  await bed.undo(template("m:1"));
  // More than are read.
  bed.cluster.pods = Array.from({ length: 250 }, () => bed.first);
  expect(await bed.look()).toBe("unchanged");
  expect(bed.cluster.rolls()).toHaveLength(1);
});
