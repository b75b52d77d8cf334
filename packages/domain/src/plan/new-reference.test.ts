import { describe, expect, test } from "vitest";
import { type DecidedOnce, expectOnce, started } from "../fixture/decided-once.ts";
import { adopted, type PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";
import { rolledForApp, written } from "../fixture/unrecorded-workload.ts";

describe("a source that the applied state does not name yet", () => {
  /** Adopted at 1100. At 1300 a template is written that also reads `more`. */
  function edited(...times: readonly number[]): PlannedWorkload {
    const workload = adopted({ db: {} });
    workload.now = 1300;
    workload.edit(templateUsing({ db: {}, app: {} }));
    return written(workload, ...times);
  }

  test.each<DecidedOnce>([
    {
      sentence: "is adopted when it was written before the template came to name it",
      workload: () => edited(900, 1299),
      reasons: {},
    },
    {
      sentence: "rolls when it was changed since the template came to name it",
      workload: () => edited(900, 1301),
      reasons: rolledForApp,
    },
    {
      sentence: "is adopted when it was only changed together with the template",
      workload: () => edited(900, 1300),
      reasons: {},
    },
  ])("$sentence", expectOnce);
});

describe("a key that is read only now", () => {
  /** Adopted at 1100 through one key. At 1300 a template is written that also reads another key. */
  function wider(changedAt: number | undefined): PlannedWorkload {
    const workload = adopted({ app: { keys: ["a"] } });
    const change = () => {
      if (changedAt === undefined) return;
      workload.now = changedAt;
      workload.set("ConfigMap", "app", { a: "1", b: "2" });
    };
    if ((changedAt ?? 0) <= 1300) change();
    workload.now = 1300;
    workload.edit(templateUsing({ app: { keys: ["a", "b"] } }));
    if ((changedAt ?? 0) > 1300) change();
    workload.now = 5000;
    return workload;
  }

  test.each<DecidedOnce>([
    {
      sentence: "of a source that never changed rolls nothing",
      workload: () => wider(undefined),
      reasons: {},
    },
    {
      sentence: "and was changed before the template came to read it rolls nothing",
      workload: () => wider(1299),
      reasons: {},
    },
    {
      sentence: "and was changed since rolls",
      workload: () => wider(1301),
      reasons: rolledForApp,
    },
    {
      sentence: "and was changed since is adopted when the pods started after that",
      workload: () => Object.assign(wider(1301), { podsStart: started(1302) }),
      reasons: {},
    },
    {
      sentence: "and was changed since rolls when a pod may have started before that",
      workload: () => Object.assign(wider(1301), { podsStart: started(1301) }),
      reasons: rolledForApp,
    },
  ])("$sentence", expectOnce);

  test("of a source that was made anew as it was rolls nothing", () => {
    const workload = wider(undefined);
    workload.remove("ConfigMap", "app");
    workload.set("ConfigMap", "app", { a: "1", b: "1" });
    expect(workload.reconcile()).toEqual({});
  });

  test("of a source that never changed asks nothing of pods", () => {
    expect(wider(undefined).plan().hingesOnPods).toBe(false);
    expect(wider(1301).plan().hingesOnPods).toBe(true);
  });
});
