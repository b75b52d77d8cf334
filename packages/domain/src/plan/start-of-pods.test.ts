import { describe, expect, test } from "vitest";
import { type DecidedOnce, expectOnce, started } from "../fixture/decided-once.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { rolledForApp, seenWhenMade, withoutState, written } from "../fixture/unrecorded-workload.ts";

const waiting = { notBefore: Number.POSITIVE_INFINITY, notAfter: Number.POSITIVE_INFINITY };

describe("a class whose content pods show", () => {
  function shown(asOfSeconds: number): PlannedWorkload {
    const workload = withoutState({});
    workload.name("SecretProviderClass", "vault");
    workload.show("SecretProviderClass", "vault", { a: "1" }, asOfSeconds);
    workload.now = 5000;
    return workload;
  }
  const vault = { vault: "ChangedAfterStart" };

  test.each<DecidedOnce>([
    {
      sentence: "is adopted when it has been so since before the workload",
      workload: () => shown(999),
      reasons: {},
    },
    // The pods show the content of their start, so another content in that second is a later one.
    {
      sentence: "rolls when it was changed in the second of the start",
      workload: () => shown(1000),
      reasons: vault,
    },
    {
      sentence: "rolls when it was changed in the second of the start, also where an event tells its version",
      workload: () => Object.assign(shown(1000), { seen: { ...seenWhenMade, resourceVersion: "2" } }),
      reasons: vault,
    },
    { sentence: "rolls when it was changed later", workload: () => shown(1001), reasons: vault },
    {
      sentence: "rolls whenever other pods started: one shows another content than it started with",
      workload: () => Object.assign(shown(1001), { podsStart: started(1002) }),
      reasons: vault,
    },
  ])("$sentence", expectOnce);
});

describe("the start of the pods", () => {
  test.each<DecidedOnce>([
    {
      sentence: "after the content was written adopts it",
      workload: () => Object.assign(written(withoutState(), 900, 1100), { podsStart: started(1101) }),
      reasons: {},
    },
    {
      sentence: "in the second the content was written does not tell: it rolls",
      workload: () => Object.assign(written(withoutState(), 900, 1100), { podsStart: started(1100) }),
      reasons: rolledForApp,
    },
    {
      sentence: "of which one may lie before the content rolls",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1100), { podsStart: { notBefore: 1099, notAfter: 1103 } }),
      reasons: rolledForApp,
    },
    {
      sentence: "is yet to come for those that wait: they will read what is there",
      workload: () => Object.assign(written(withoutState(), 900, 1100), { podsStart: waiting }),
      reasons: {},
    },
    {
      sentence: "before the content changes nothing where the content is older than the workload",
      workload: () => Object.assign(written(withoutState(), 800, 900), { podsStart: started(850) }),
      reasons: {},
    },
  ])("$sentence", expectOnce);

  test("is asked for only where something hinges on it, and once", () => {
    const workload = written(withoutState(), 900, 1100);
    expect(workload.plan()).toMatchObject({ type: "roll", hingesOnPods: true });
    workload.podsStart = started(1101);
    expect(workload.plan()).toMatchObject({ type: "record", hingesOnPods: false });
    expect(written(withoutState(), 900, 950).plan()).toMatchObject({ type: "record", hingesOnPods: false });
  });
});

describe("an applied state of another template", () => {
  /** Adopted at 1100 and changed at 1210, together with this template. The pods started at `podsStart`. */
  function changedWith(template: unknown, podsStart: PlannedWorkload["podsStart"]): PlannedWorkload {
    const workload = adopted();
    workload.now = 1210;
    workload.set("ConfigMap", "app", { a: "2" });
    workload.now = 1220;
    workload.edit(template);
    return Object.assign(workload, { podsStart });
  }
  const same = templateUsing({ app: {} });
  const next = templateUsing({ app: {} }, "app:2");
  const reasons = { app: "SourceChanged" };

  test.each<DecidedOnce>([
    {
      sentence: "rolls nothing when its pods all started after the change",
      workload: () => changedWith(next, started(1221)),
      reasons: {},
    },
    {
      sentence: "rolls when one of its pods may have started before the change",
      workload: () => changedWith(next, started(1210)),
      reasons,
    },
    {
      sentence: "rolls when it is not known when its pods started",
      workload: () => changedWith(next, undefined),
      reasons,
    },
    // An evicted pod says nothing about the other pods of that time.
    {
      sentence: "is needed: of the same template pods that started later prove nothing",
      workload: () => changedWith(same, started(1221)),
      reasons,
    },
  ])("$sentence", expectOnce);

  describe("that is applied in one go with the content", () => {
    /** Both were written at 1210. In that second a pod of the new template was made and its container started. */
    const appliedTogether = (containerStart: number, templateAt = 1210) => {
      const workload = adopted();
      workload.now = 1210;
      workload.set("ConfigMap", "app", { a: "2" });
      workload.now = templateAt;
      workload.edit(next);
      const podsStart = { notBefore: 1210, notAfter: containerStart + 2 };
      return Object.assign(workload, { now: 1213, podsStart });
    };

    test.each<DecidedOnce>([
      {
        sentence: "rolls nothing when its pods started later by the clocks of their nodes",
        workload: () => appliedTogether(1211),
        reasons: {},
      },
      {
        sentence: "rolls when a pod started in that second: it may have been before the content",
        workload: () => appliedTogether(1210),
        reasons,
      },
      {
        sentence: "rolls when the template came before: clocks of nodes are not that good",
        workload: () => appliedTogether(1211, 1209),
        reasons,
      },
      {
        sentence: "rolls when it is not known when its pods started",
        workload: () => Object.assign(appliedTogether(1211), { podsStart: undefined }),
        reasons,
      },
    ])("$sentence", expectOnce);
  });

  test("asks for the start of the pods, that of the same template does not", () => {
    expect(changedWith(next, undefined).plan().hingesOnPods).toBe(true);
    expect(changedWith(same, undefined).plan().hingesOnPods).toBe(false);
  });
});
