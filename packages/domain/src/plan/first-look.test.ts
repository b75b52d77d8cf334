import { describe, expect, test } from "vitest";
import { type DecidedOnce, expectOnce, started } from "../fixture/decided-once.ts";
import { adopted, PlannedWorkload, templateUsing } from "../fixture/planned-workload.ts";

/** Made at 1000. Nobody has recorded anything of it. */
function withoutState(uses: Parameters<typeof templateUsing>[0] = { app: {} }): PlannedWorkload {
  return new PlannedWorkload(templateUsing(uses));
}

/** `app` is made then, and given another content at each of the later times. */
function written(workload: PlannedWorkload, ...times: readonly number[]): PlannedWorkload {
  for (const [at, seconds] of times.entries()) {
    workload.now = seconds;
    workload.set("ConfigMap", "app", { a: `${at}` });
  }
  workload.now = 5000;
  return workload;
}

const rolled = { app: "ChangedAfterStart" };
const waiting = { notBefore: Number.POSITIVE_INFINITY, notAfter: Number.POSITIVE_INFINITY };

const seen = { atSeconds: 1000, resourceVersion: "1" };

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
      reasons: rolled,
    },
    {
      sentence: "adopts what was changed in its own second where nobody watched: it was applied together",
      workload: () => written(withoutState(), 900, 1000),
      reasons: {},
    },
    {
      sentence: "rolls for what was changed in the second it was seen, after it",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1000), { seen: { ...seen, resourceVersion: "0" } }),
      reasons: rolled,
    },
    {
      sentence: "adopts what was changed in the second it was seen, before it",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1000), { seen: { ...seen, resourceVersion: "2" } }),
      reasons: {},
    },
    {
      sentence: "adopts what was changed after its making and before it was seen to opt in",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1200), { seen: { ...seen, atSeconds: 1300 } }),
      reasons: {},
    },
    {
      sentence: "rolls for what was changed after it was seen to opt in",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1301), { seen: { ...seen, atSeconds: 1300 } }),
      reasons: rolled,
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
      reasons: rolled,
    },
    {
      sentence: "rolls for a source that is only named and was changed after it was made",
      workload: () => {
        const workload = withoutState({});
        workload.name("ConfigMap", "app");
        return written(workload, 900, 1001);
      },
      reasons: rolled,
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
      reasons: rolled,
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
      reasons: rolled,
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
      reasons: rolled,
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

  // What was there before the workload was read by its pods, unless it took the place of another.
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
      reasons: rolled,
    },
    {
      sentence: "that was made after a workload which was there before we came is adopted",
      workload: () => Object.assign(written(optional(), 1100), { engagedAtSeconds: 1500 }),
      reasons: {},
    },
  ])("$sentence", expectOnce);
});

describe("a source that was recorded as absent", () => {
  /** Noted without it at 1050. */
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
      reasons: rolled,
    },
    {
      sentence: "and then made and changed rolls also where the workload was seen to ask otherwise since",
      workload: () => Object.assign(written(without(), 1100, 1101), { seen: { ...seen, atSeconds: 1200 } }),
      reasons: rolled,
    },
    {
      sentence: "and then made and changed is adopted when the pods started after the change",
      workload: () => Object.assign(written(without(), 1100, 1101), { podsStart: started(1102) }),
      reasons: {},
    },
    {
      sentence: "and then made rolls when a pod started before it, with one of its name that is gone",
      workload: () => Object.assign(written(without(), 1100), { podsStart: started(1060) }),
      reasons: rolled,
    },
  ])("$sentence", expectOnce);
});

describe("a source that the applied state does not name yet", () => {
  /** Adopted at 1100; a template that reads `more`, too, is written at 1300. */
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
      reasons: rolled,
    },
    {
      sentence: "is adopted when it was only changed together with the template",
      workload: () => edited(900, 1300),
      reasons: {},
    },
  ])("$sentence", expectOnce);
});

describe("a key that is read only now", () => {
  /** Adopted at 1100 through one key; a template that reads another, too, is written at 1300. */
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
      reasons: rolled,
    },
    {
      sentence: "and was changed since is adopted when the pods started after that",
      workload: () => Object.assign(wider(1301), { podsStart: started(1302) }),
      reasons: {},
    },
    {
      sentence: "and was changed since rolls when a pod may have started before that",
      workload: () => Object.assign(wider(1301), { podsStart: started(1301) }),
      reasons: rolled,
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
    // What they show was made when they started: another content in that second is a later one.
    {
      sentence: "rolls when it was changed in the second of the start",
      workload: () => shown(1000),
      reasons: vault,
    },
    {
      sentence: "rolls when it was changed in the second of the start, also where an event tells its version",
      workload: () => Object.assign(shown(1000), { seen: { ...seen, resourceVersion: "2" } }),
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
      reasons: rolled,
    },
    {
      sentence: "of which one may lie before the content rolls",
      workload: () =>
        Object.assign(written(withoutState(), 900, 1100), { podsStart: { notBefore: 1099, notAfter: 1103 } }),
      reasons: rolled,
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
  /** Adopted at 1100, changed at 1210; what else is written then, and when the pods started. */
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
    // A pod that was evicted says nothing of the others that were there.
    {
      sentence: "is needed: of the same template pods that started later prove nothing",
      workload: () => changedWith(same, started(1221)),
      reasons,
    },
  ])("$sentence", expectOnce);

  test("asks for the start of the pods, that of the same template does not", () => {
    expect(changedWith(next, undefined).plan().hingesOnPods).toBe(true);
    expect(changedWith(same, undefined).plan().hingesOnPods).toBe(false);
  });
});
