import { describe, expect, test } from "vitest";
import { type DecidedOnce, expectOnce, started } from "../fixture/decided-once.ts";
import type { PlannedWorkload } from "../fixture/planned-workload.ts";
import { rolledForApp, seenWhenMade, withoutState, written } from "../fixture/unrecorded-workload.ts";

describe("a workload of which nothing is recorded", () => {
  test.each<DecidedOnce>([
    {
      sentence: "adopts what was written before it was made",
      workload: () => written(withoutState(), 900, 999),
      reasons: {},
    },
    {
      sentence: "adopts what was made before it and never changed",
      workload: () => written(withoutState(), 900),
      reasons: {},
    },
    {
      sentence: "rolls for what was changed after it was made",
      workload: () => written(withoutState(), 900, 1001),
      reasons: rolledForApp,
    },
    {
      sentence: "adopts what was changed in its own second where nobody watched: it was applied together",
      workload: () => written(withoutState(), 900, 1000),
      reasons: {},
    },
    {
      sentence: "rolls for what was changed in the second it was seen, after it",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1000), {
          seen: { ...seenWhenMade, resourceVersion: "0" },
        }),
      reasons: rolledForApp,
    },
    {
      sentence: "adopts what was changed in the second it was seen, before it",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1000), {
          seen: { ...seenWhenMade, resourceVersion: "2" },
        }),
      reasons: {},
    },
    {
      sentence: "adopts what was changed after its making and before it was seen to opt in",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1200), { seen: { ...seenWhenMade, atSeconds: 1300 } }),
      reasons: {},
    },
    {
      sentence: "rolls for what was changed after it was seen to opt in",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1301), { seen: { ...seenWhenMade, atSeconds: 1300 } }),
      reasons: rolledForApp,
    },
    {
      sentence: "rolls for each source that was changed, and for no other",
      workload: () => {
        const workload = written(withoutState({ app: {}, db: {} }), 900, 1001);
        workload.now = 950;
        workload.set("ConfigMap", "db", { a: "1" });
        workload.now = 5000;
        return workload;
      },
      reasons: rolledForApp,
    },
    {
      sentence: "rolls for a source that is only named and was changed after it was made",
      workload: () => {
        const workload = withoutState({});
        workload.name("ConfigMap", "app");
        return written(workload, 900, 1001);
      },
      reasons: rolledForApp,
    },
  ])("$sentence", expectOnce);
});

describe("at our first start", () => {
  const engaged = (at: number, ...times: readonly number[]) =>
    Object.assign(written(withoutState(), ...times), { engagedAtSeconds: at });

  test.each<DecidedOnce>([
    {
      sentence: "what was changed before we came is adopted",
      workload: () => engaged(1500, 900, 1499),
      reasons: {},
    },
    {
      sentence: "what was changed in the second we came is adopted",
      workload: () => engaged(1500, 900, 1500),
      reasons: {},
    },
    {
      sentence: "what was changed since we came rolls",
      workload: () => engaged(1500, 900, 1501),
      reasons: rolledForApp,
    },
  ])("$sentence", expectOnce);
});

describe("a required source that was made after the workload", () => {
  test.each<DecidedOnce>([
    {
      sentence: "is adopted: no pod started without it",
      workload: () => written(withoutState(), 1100),
      reasons: {},
    },
    {
      sentence: "rolls when a pod started before it, with one of its name that is gone",
      workload: () => Object.assign(written(withoutState(), 1100), { podsStart: started(1099) }),
      reasons: rolledForApp,
    },
    {
      sentence: "is adopted when the pods started in its second or later",
      workload: () => Object.assign(written(withoutState(), 1100), { podsStart: started(1100) }),
      reasons: {},
    },
    {
      sentence: "is adopted when it cannot be told whether a pod started before it",
      workload: () =>
        Object.assign(written(withoutState(), 1100), { podsStart: { notBefore: 1090, notAfter: 1101 } }),
      reasons: {},
    },
    {
      sentence: "and was changed since rolls",
      workload: () => written(withoutState(), 1100, 1101),
      reasons: rolledForApp,
    },
  ])("$sentence", expectOnce);

  test("is adopted when pods do not need it, whenever they started", () => {
    const named = withoutState({});
    named.name("ConfigMap", "app");
    written(named, 1100);
    expect(named.plan().hingesOnPods).toBe(false);
    named.podsStart = started(1050);
    expect(named.reconcile()).toEqual({});
  });

  // The pods have read a source that existed before the workload, unless it replaced another one.
  test("is the only unchanged one that pods are asked about", () => {
    expect(written(withoutState(), 1100).plan().hingesOnPods).toBe(true);
    expect(written(withoutState(), 900).plan().hingesOnPods).toBe(false);
    expect(written(withoutState({ app: { optional: true } }), 900).plan().hingesOnPods).toBe(false);
  });
});

describe("an optional source", () => {
  const optional = () => withoutState({ app: { optional: true } });

  test.each<DecidedOnce>([
    {
      sentence: "that was made after the workload is late",
      workload: () => written(optional(), 1100),
      reasons: { app: "LateOptionalReference" },
    },
    {
      sentence: "that was made together with the workload is adopted",
      workload: () => written(optional(), 1001),
      reasons: {},
    },
    {
      sentence: "that was there before the workload and was changed since rolls",
      workload: () => written(optional(), 900, 1001),
      reasons: rolledForApp,
    },
    {
      sentence: "that was made since we came is late for a workload which was there, with its pods",
      workload: () =>
        Object.assign(written(optional(), 1100), { engagedAtSeconds: 1050, podsStart: started(1005) }),
      reasons: { app: "LateOptionalReference" },
    },
    {
      sentence: "that was made since we came is adopted where the pods started later",
      workload: () =>
        Object.assign(written(optional(), 1100), { engagedAtSeconds: 1050, podsStart: started(1101) }),
      reasons: {},
    },
    {
      sentence: "that was made after a workload which was there before we came is adopted",
      workload: () => Object.assign(written(optional(), 1100), { engagedAtSeconds: 1500 }),
      reasons: {},
    },
  ])("$sentence", expectOnce);
});

describe("a source that was recorded as absent", () => {
  /** A workload recorded at 1050 without the source. */
  function without(): PlannedWorkload {
    const workload = withoutState();
    workload.now = 1050;
    workload.reconcile();
    return workload;
  }

  test.each<DecidedOnce>([
    { sentence: "and then made is adopted", workload: () => written(without(), 1100), reasons: {} },
    {
      sentence: "and then made and changed rolls",
      workload: () => written(without(), 1100, 1101),
      reasons: rolledForApp,
    },
    {
      sentence: "and then made and changed rolls also where the workload was seen to ask otherwise since",
      workload: () =>
        Object.assign(written(without(), 1100, 1101), { seen: { ...seenWhenMade, atSeconds: 1200 } }),
      reasons: rolledForApp,
    },
    {
      sentence: "and then made and changed is adopted when the pods started after the change",
      workload: () => Object.assign(written(without(), 1100, 1101), { podsStart: started(1102) }),
      reasons: {},
    },
    {
      sentence: "and then made rolls when a pod started before it, with one of its name that is gone",
      workload: () => Object.assign(written(without(), 1100), { podsStart: started(1060) }),
      reasons: rolledForApp,
    },
  ])("$sentence", expectOnce);
});
