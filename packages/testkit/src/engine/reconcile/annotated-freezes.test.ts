import { describe, expect, test } from "vitest";
import { caseOf, createKindBed, type KindCase, kindCases } from "../../beds/kind-bed.ts";
import { outcomeOf } from "../../beds/test-bed.ts";

describe.each(kindCases)("$name with a freeze annotation of its own", (one) => {
  test("that is put on while a write waits for its turn is not rolled", async () => {
    await expectFrozenInTime(one, one.workload);
  });
});

describe.each(kindCases.filter(({ name }) => name.includes("refers")))("$name", (one) => {
  const deployment = { kind: "Deployment", namespace: "ns", name: "web-template" };

  test("is not rolled when that is annotated as frozen while a write waits", async () => {
    await expectFrozenInTime(one, deployment);
  });

  test("is held by an annotation of that, until it is taken off", async () => {
    const bed = await createKindBed(one);
    bed.cluster.setWorkload("web-template", { annotations: frozen });
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("FrozenByAnnotation");
    expect(bed.actions()).toBe(0);
    bed.cluster.setWorkload("web-template", { annotations: thawed });
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.actions()).toBe(1);
  });

  test("is held by a declared freeze of that", async () => {
    const bed = await createKindBed(one);
    bed.freezes.freezes = [{ scope: { namespace: "ns", workload: deployment }, reason: "audit", by: "ann" }];
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("Frozen");
    expect(bed.actions()).toBe(0);
  });
});

const frozen = { "fleet-reloader.io/freeze": "true" };
const thawed = { "fleet-reloader.io/freeze": null };

/** Freezes an object between the decision and the write. Nothing is rolled before the freeze ends, and one thing afterwards. */
async function expectFrozenInTime(one: KindCase, ref: KindCase["workload"]): Promise<void> {
  let freeze = (): void => undefined;
  const bed = await createKindBed(one, {
    turn: ({ verb }) => {
      if (verb === "patch" || verb === "create" || verb === "delete") freeze();
    },
  });
  freeze = () => {
    bed.cluster.setWorkload(ref.name, { annotations: frozen }, ref.kind);
  };
  bed.change("2");
  expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("FrozenByAnnotation");
  expect(bed.actions()).toBe(0);
  freeze = () => undefined;
  bed.cluster.setWorkload(ref.name, { annotations: thawed }, ref.kind);
  expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
  expect(bed.actions()).toBe(1);
}

test.each(["Deployment", "DaemonSet", "StatefulSet"])(
  "a roll of a %s reads no annotations again",
  async (name) => {
    const bed = await createKindBed(caseOf(name));
    bed.change("2");
    expect(outcomeOf(await bed.reconcile(bed.workload))).toBe("rolled");
    expect(bed.cluster.calls.filter(({ target }) => target.startsWith("annotations of "))).toEqual([]);
  },
);
