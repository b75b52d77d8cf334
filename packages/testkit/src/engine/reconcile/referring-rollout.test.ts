import { appliedAnnotation } from "@fleet-reloader/domain/applied/applied-annotation";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { Settings } from "@fleet-reloader/engine/ports/settings";
import { describe, expect, test } from "vitest";
import { createKindBed, readsApp, rolloutManifest } from "../../beds/kind-bed.ts";
import { auto, outcomeOf } from "../../beds/test-bed.ts";

const deployment = { kind: "Deployment", namespace: "ns", name: "web-template" };
const strategies = ["annotations", "env-vars"] as const;

interface Wishes {
  readonly rollout?: Readonly<Record<string, string>>;
  readonly deployment?: Readonly<Record<string, string>>;
  readonly template?: Readonly<Record<string, string>>;
}

/** A Rollout and the Deployment that it refers to, each with its annotations; both are adopted. */
async function bedOf(wishes: Wishes, settings: Partial<Settings> = {}) {
  const workloadRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web-template" };
  const template = { ...readsApp, metadata: { ...readsApp.metadata, annotations: wishes.template ?? {} } };
  const metadata = { annotations: wishes.deployment ?? {} };
  const rollout = {
    ...rolloutManifest("rollout", { workloadRef }),
    metadata: { annotations: wishes.rollout ?? {} },
  };
  const one = {
    name: "a Rollout that refers to a Deployment",
    workload: { kind: "Rollout", namespace: "ns", name: "web" },
    objects: [
      ["Rollout", "web", rollout],
      ["Deployment", "web-template", { metadata, spec: { replicas: 0, template } }],
    ] as const,
  };
  const bed = await createKindBed(one, { settings });
  await bed.reconcile(deployment, { purpose: "adoption" });
  const inOrder = async (order: "the Rollout first" | "the Deployment first") => {
    const both = [bed.workload, deployment];
    for (const ref of order === "the Rollout first" ? both : both.toReversed()) {
      await bed.reconcile(ref);
      await bed.clock.advance(1500);
    }
  };
  return { ...bed, inOrder };
}

const named = "configmap.reloader.stakater.com/reload";
const optIns: readonly (readonly [string, Wishes, Partial<Settings>])[] = [
  ["an annotation of each", { rollout: auto, deployment: auto }, {}],
  ["an annotation of the pod template", { template: auto }, {}],
  ["a pattern of the pod template", { template: { [named]: "ap+" } }, {}],
  ["a name and a pattern", { rollout: { [named]: "app" }, deployment: { [named]: "a.*" } }, {}],
  ["a flag", {}, { autoReloadAll: true }],
];

describe.each(strategies)("a Rollout and its Deployment roll once for a change (%s)", (strategy) => {
  describe.each(optIns)("where %s opts both in", (_, wishes, more) => {
    test.each(["the Rollout first", "the Deployment first"] as const)("%s", async (order) => {
      const bed = await bedOf(wishes, { strategy, ...more });
      for (const [before, value] of ["2", "3"].entries()) {
        bed.change(value);
        await bed.inOrder(order);
        expect(bed.actions()).toBe(before + 1);
      }
    });
  });

  test("found by the watches", async () => {
    const debounce = { quietPeriodMs: 2000, maxWaitMs: 30_000 };
    const bed = await bedOf({ rollout: auto, deployment: auto }, { strategy, debounce });
    await bed.elsewhere(20_000);
    bed.change("2");
    await bed.elsewhere(60_000);
    expect(bed.actions()).toBe(1);
  });
});

describe("a Rollout rolls by itself", () => {
  const expectRolled = async (bed: Awaited<ReturnType<typeof bedOf>>) => {
    bed.change("2");
    await bed.reconcile(deployment);
    const before = bed.actions();
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(before + 1);
  };

  test("for a source that its Deployment excludes", async () => {
    const exclude = { ...auto, "configmaps.exclude.reloader.stakater.com/reload": "app" };
    await expectRolled(await bedOf({ rollout: auto, deployment: exclude }));
  });

  test("for a source without the match that its Deployment searches for", async () => {
    const search = { "reloader.stakater.com/search": "true" };
    await expectRolled(await bedOf({ rollout: auto, deployment: search }));
  });

  test("where Deployments are not served", async () => {
    const workloadKinds = knownKinds.filter(({ kind }) => kind !== "Deployment");
    await expectRolled(await bedOf({ rollout: auto, deployment: auto }, { workloadKinds }));
  });

  test("by a restart, where that is asked for", async () => {
    const restart = { ...auto, "reloader.stakater.com/rollout-strategy": "restart" };
    await expectRolled(await bedOf({ rollout: restart, deployment: auto }));
  });

  test("once its Deployment does not opt in any more, for changes from then on", async () => {
    const bed = await bedOf({ rollout: auto, deployment: auto });
    await bed.elsewhere(10_000);
    expect(bed.cluster.workload(bed.workload)?.annotations[appliedAnnotation("k1")]).toBeUndefined();
    bed.cluster.setWorkload("web-template", { annotations: { "reloader.stakater.com/auto": "false" } });
    await bed.elsewhere(10_000);
    expect(bed.cluster.workload(bed.workload)?.annotations[appliedAnnotation("k1")]).toBeDefined();
    expect(bed.actions()).toBe(0);
    await expectRolled(bed);
  });
});
