import { templateUsing } from "@fleet-reloader/domain/fixture/planned-workload";
import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import type { ExplainOptions } from "@fleet-reloader/engine/ask/explain";
import { explanationText } from "@fleet-reloader/engine/ask/explanation-text";
import { describe, expect, test } from "vitest";
import { adopted } from "../../beds/adopted-deployment.ts";
import { askingOf } from "../../beds/asked-bed.ts";
import { auto, createTestBed, type TestBedOptions } from "../../beds/test-bed.ts";

/** An adopted Deployment whose ConfigMap has changed since, and what is explained of it. */
async function changedAndAsked(options: TestBedOptions = {}, own: Partial<ExplainOptions> = {}) {
  const bed = await adopted(options);
  bed.edit("2");
  return { ...bed, ...askingOf(bed, own) };
}

const causes = [{ source: { kind: "ConfigMap", namespace: "ns", name: "app" }, reason: "SourceChanged" }];

describe("explain says of a workload", () => {
  test("that it would roll, for which source, and writes nothing", async () => {
    const bed = await changedAndAsked();
    const patches = bed.patches();
    expect((await bed.explain("api")).verdict).toEqual({ type: "roll", causes });
    expect(bed.patches()).toBe(patches);
    expect(await bed.run()).toBe("rolled");
    expect((await bed.explain("api")).verdict).toEqual({ type: "stays", reason: "ContentUnchanged" });
  });

  test("that a freeze holds it, who set it, and until when", async () => {
    const bed = await changedAndAsked();
    const untilMs = bed.clock.now() + 60_000;
    bed.freezes.freezes = [{ scope: { namespace: "ns" }, reason: "release", by: "ann", untilMs }];
    const until = new Date(untilMs).toISOString();
    const why = `release (by ann, until ${until})`;
    const { verdict } = await bed.explain("api");
    expect(verdict).toEqual({ type: "held", reason: "Frozen", why, until, causes });
  });

  test("when a pause ends that its pause-period began, and of a person's pause no end", async () => {
    const bed = await adopted({}, { ...auto, "deployment.reloader.stakater.com/pause-period": "1m" });
    bed.edit("2");
    const rolledMs = bed.clock.now();
    await bed.run();
    const { explain } = askingOf(bed);
    const explanation = await explain("api");
    const untilMs = Date.parse(explanation.pausedUntil ?? "");
    expect(Math.abs(untilMs - rolledMs - 60_000)).toBeLessThanOrEqual(1000);
    expect(explanationText(explanation)).toContain(
      `has paused it until ${explanation.pausedUntil}. It is resumed by itself then`,
    );
    bed.cluster.setWorkload("api", { annotations: { "deployment.reloader.stakater.com/paused-at": null } });
    const byPerson = await explain("api");
    expect([byPerson.isPaused, byPerson.pausedUntil]).toEqual([true, undefined]);
  });

  test("that an annotation freezes it", async () => {
    const bed = await adopted({}, { ...auto, "fleet-reloader.io/freeze": "audit" });
    bed.edit("2");
    const { verdict } = await askingOf(bed).explain("api");
    expect(verdict).toMatchObject({
      reason: "FrozenByAnnotation",
      why: "the workload is annotated as frozen: audit",
    });
  });

  test("that freezes cannot be read", async () => {
    const bed = await changedAndAsked();
    bed.freezes.unreadable = "freezes.yaml: it is no list";
    expect((await bed.explain("api")).verdict).toMatchObject({
      reason: "FreezeUnreadable",
      why: "freezes.yaml: it is no list",
    });
  });

  test.each([
    ["WorkloadLooping", { workloadBreaker: { rollsMax: 1, withinMs: 60_000 } }],
    ["SourceLooping", { sourceBreaker: { rollsMax: 1, withinMs: 60_000 } }],
    ["BudgetRate", { fleet: { rate: { rolls: 1, perMs: 3_600_000, burst: 1 } } }],
  ])("that %s holds it, however often it is asked", async (reason, limits) => {
    const bed = await changedAndAsked({ limits });
    const first = await bed.run();
    if (first === "rolled") bed.edit("3");
    for (let count = 0; count < 3; count += 1)
      expect((await bed.explain("api")).verdict).toMatchObject({ type: "held", reason });
  });

  test("which unfinished rollout leaves no room for it", async () => {
    const bed = await changedAndAsked({ limits: { fleet: { unfinishedMax: 1 } } });
    const web = bed.cluster.setWorkload("web", { template: templateUsing({ app: {} }), annotations: auto });
    await bed.reconcile(web, { purpose: "adoption" });
    bed.edit("3");
    expect(await bed.run()).toBe("rolled");
    bed.edit("4");
    const { verdict } = await bed.explain("web");
    expect(verdict).toMatchObject({ type: "held", reason: "BudgetUnfinished" });
    expect(verdict).toMatchObject({ why: expect.stringContaining("unfinished: Deployment/ns/api of c1") });
  });

  test("what a worker found to hold it, as the queue has it", async () => {
    const bed = await changedAndAsked();
    const request = { cluster: "c1", workload: bed.api };
    expect((await bed.explain("api")).waiting).toEqual({ isWaiting: false });
    await bed.queue.add([{ request, quietPeriodMs: 0, maxWaitMs: 0, purpose: "change" }]);
    expect((await bed.explain("api")).waiting).toEqual({ isWaiting: true });
    const taken = bed.queue.take();
    taken?.finish({
      type: "again",
      afterMs: 5000,
      reason: "ClusterUnreachable",
      hold: { reason: "ClusterUnreachable" },
    });
    const again = new Date(bed.clock.now() + 5000).toISOString();
    expect((await bed.explain("api")).waiting).toEqual({
      isWaiting: true,
      hold: { reason: "ClusterUnreachable", again },
    });
  });
});

describe("explain says why nothing rolls:", () => {
  const stays = async (
    annotations: Readonly<Record<string, string>>,
    uses: Readonly<Record<string, object>>,
  ) => {
    const bed = createTestBed();
    bed.cluster.setSource("ConfigMap", "app", { a: "1" }, { "reloader.stakater.com/ignore": "true" });
    bed.cluster.setSource("ConfigMap", "plain", { a: "1" });
    bed.cluster.setWorkload("api", { template: templateUsing(uses), annotations });
    return (await askingOf(bed).explain("api")).verdict;
  };

  test.each([
    ["NotOptedIn", {}, { plain: {} }],
    ["NotOptedIn", { "reloader.stakater.com/auto": "false" }, { plain: {} }],
    ["NotReferenced", auto, {}],
    ["SourceIgnored", auto, { app: {} }],
    [
      "SourceExcluded",
      { ...auto, "configmaps.exclude.reloader.stakater.com/reload": "plain" },
      { plain: {} },
    ],
    ["SourceNotMatched", { "reloader.stakater.com/search": "true" }, { plain: {} }],
    ["ContentUnchanged", auto, { plain: {} }],
  ])("%s with %j and references to %j", async (reason, annotations, uses) => {
    expect(await stays(annotations, uses)).toEqual({ type: "stays", reason });
  });
});

describe("explain names", () => {
  test("the likely name of a source that is missing, and which keys of a source matter", async () => {
    const bed = createTestBed();
    bed.cluster.setSource("ConfigMap", "settings", { a: "1" });
    bed.cluster.setSource("Secret", "db", { user: "u", password: "p" });
    const named = { "configmap.reloader.stakater.com/reload": "setings" };
    const template = templateUsing({ db: { kind: "Secret", keys: ["password"], optional: true } });
    bed.cluster.setWorkload("api", { template, annotations: { ...auto, ...named } });
    const { sources } = await askingOf(bed).explain("api");
    expect(sources).toEqual([
      expect.objectContaining({
        state: "missing",
        nearest: "settings",
        reason: "NamedByAnnotation",
        uses: [],
      }),
      expect.objectContaining({ keys: ["password"], isOptional: true, reason: "AutoEnabled", counts: true }),
    ]);
  });

  test("a name with a dot that no source has, with the likely name", async () => {
    const bed = createTestBed();
    for (const name of ["app.config", "other.config"]) bed.cluster.setSource("ConfigMap", name, { a: "1" });
    const annotations = { "configmap.reloader.stakater.com/reload": "app.confg,other.config" };
    bed.cluster.setWorkload("api", { template: templateUsing({}), annotations });
    const { sources } = await askingOf(bed).explain("api");
    expect(sources).toMatchObject([
      { source: { name: "app.confg" }, counts: true, state: "missing", nearest: "app.config", uses: [] },
      { source: { name: "other.config" }, state: "present" },
    ]);
  });

  test("that its last roll could not be written, and what to do", async () => {
    const bed = await changedAndAsked();
    const failed = { result: "failed", reason: "kube.forbidden", meaning: "Grant it.", time: "T" } as const;
    const text = explanationText(Object.assign(await bed.explain("api"), { failed }));
    expect(text).toContain("Its last roll failed at T: kube.forbidden. Grant it.\n");
  });

  test("mistakes in annotations", async () => {
    const bed = createTestBed();
    bed.cluster.setWorkload("api", {
      template: templateUsing({}),
      annotations: { "reloader.stakater.com/auto": "yes" },
    });
    const { problems, optIn } = await askingOf(bed).explain("api");
    expect(problems).toEqual([expect.objectContaining({ value: "yes", mend: 'write "true" or "false"' })]);
    expect(optIn).toEqual([expect.objectContaining({ means: "asks for nothing" })]);
  });
});

describe("explain leaves open", () => {
  test("what a worker decides with keys that are not known here", async () => {
    const bed = await changedAndAsked({}, { keys: testKeyring("other"), areKeysShared: false });
    expect((await bed.explain("api")).verdict).toEqual({ type: "unknown", reason: "KeyUnknown" });
  });

  test("what was there before the first list, and still names the sources", async () => {
    const nothing = {
      appliedText: undefined,
      appliedAtSeconds: undefined,
      seen: undefined,
      served: undefined,
    };
    const bed = createTestBed();
    bed.cluster.setSource("ConfigMap", "app", { a: "1" });
    bed.cluster.setWorkload("api", { template: templateUsing({ app: {} }), annotations: auto });
    const asking = askingOf(bed, { records: { read: async () => nothing } });
    const { sources, verdict } = await asking.explain("api");
    expect(verdict).toEqual({ type: "unknown", reason: "WorkloadsNotListed" });
    expect(sources).toEqual([expect.objectContaining({ counts: true, state: "unread" })]);
  });

  test.each([
    [{ type: "OnDelete" }, "OnDelete: a roll reaches a pod when somebody deletes the pod."],
    [{ type: "RollingUpdate", rollingUpdate: { partition: 2 } }, "a partition: a roll reaches the pods from"],
    [{ type: "RollingUpdate", rollingUpdate: { partition: 0 } }, undefined],
  ])("that pods keep what they have by its update strategy %j", async (updateStrategy, said) => {
    const bed = createTestBed();
    bed.cluster.setSource("ConfigMap", "app", { a: "1" });
    const metadata = { annotations: auto };
    const spec = { updateStrategy, template: templateUsing({ app: {} }) };
    bed.cluster.setObject("StatefulSet", "db", { metadata, spec });
    const text = explanationText(await askingOf(bed).explain("db", "StatefulSet"));
    if (said === undefined) expect(text).not.toContain("update strategy");
    else expect(text).toContain(said);
  });

  test.each([
    ["WorkloadGone", "nobody", "Deployment", {}],
    ["KindNotServed", "api", "CronJob", {}],
    ["NamespaceNotServed", "api", "Deployment", { ignoredNamespaces: ["ns"] }],
  ])("what no worker decides on: %s", async (reason, name, kind, scope) => {
    const all = {
      namespaces: undefined,
      ignoredNamespaces: [],
      namespaceSelector: undefined,
      sourceSelector: undefined,
    };
    const bed = await adopted({ settings: { scope: { ...all, ...scope } } });
    expect((await askingOf(bed).explain(name, kind)).verdict).toEqual({ type: "unserved", reason });
  });
});

test("an explanation holds no content of a source, no mark and no digest", async () => {
  const bed = createTestBed();
  const canary = "canary-7d1f";
  bed.cluster.setSource("Secret", "db", { password: canary });
  const api = bed.cluster.setWorkload("api", {
    template: templateUsing({ db: { kind: "Secret" } }),
    annotations: auto,
  });
  await bed.reconcile(api, { purpose: "adoption" });
  bed.cluster.setSource("Secret", "db", { password: `${canary}-2` });
  const asking = askingOf(bed);
  const all = [await asking.explain("api"), await asking.plan("db", "all", "Secret")];
  const applied = Object.values(bed.cluster.workload(api)?.annotations ?? {}).join();
  const digests = [...applied.matchAll(/"([\w-]{16,})"/g)].map(([, digest]) => digest ?? "");
  expect(digests.length).toBeGreaterThan(0);
  for (const secret of [canary, Buffer.from(canary).toString("base64"), ...digests])
    expect(JSON.stringify(all)).not.toContain(secret);
});

describe("the text of an explanation is the one that was agreed on:", () => {
  test("a roll that is held", async () => {
    const bed = await changedAndAsked();
    bed.cluster.setSource("Secret", "db", { password: "p" });
    bed.freezes.freezes = [{ scope: {}, reason: "release", by: "ann" }];
    const uses = { app: {}, db: { kind: "Secret" as const, keys: ["password"], optional: true } };
    const annotations = { ...auto, "secrets.exclude.reloader.stakater.com/reload": "db" };
    bed.cluster.setWorkload("api", { template: templateUsing(uses), annotations });
    bed.edit("3");
    await expect(explanationText(await bed.explain("api"))).toMatchFileSnapshot("./__golden__/held.txt");
  });

  test("a source with a wrong name, without Redis", async () => {
    const bed = createTestBed();
    bed.cluster.setSource("ConfigMap", "settings", { a: "1" });
    const annotations = {
      "configmap.reloader.stakater.com/reload": "setings",
      "fleet-reloader.io/debounce": "soon",
    };
    bed.cluster.setWorkload("api", { template: templateUsing({}), annotations });
    const asking = askingOf(bed, { queue: undefined });
    await expect(explanationText(await asking.explain("api"))).toMatchFileSnapshot(
      "./__golden__/wrong-name.txt",
    );
  });
});
