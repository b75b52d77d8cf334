import { expect, test } from "vitest";
import type {
  ActionRecord,
  ChangeRecord,
  DecisionRecord,
  HistoryRecord,
  OutcomeRecord,
} from "../../history/history.ts";
import { foldChanges } from "./change-folds.ts";

const summarizeChanges = (records: Iterable<HistoryRecord>) => foldChanges(records).summaries();
const unsuccessfulWorkloads = (records: Iterable<HistoryRecord>) => foldChanges(records).unsuccessful();

const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
const on = (name: string) => ({ id: `uid-${name}`, name });
const time = (minute: number) => `2026-07-01T12:0${minute}:00.000Z`;
const workload = (name: string) => ({ kind: "Deployment", namespace: "shop", name });
const sourcesOn = (cluster: string) => [{ ...source, change: `uid-${cluster}/db@7` }];

function changed(cluster: string, fleetChange: string | undefined, minute = 1): ChangeRecord {
  return {
    v: 1,
    time: time(minute),
    type: "change",
    cluster: on(cluster),
    change: `uid-${cluster}/db@7`,
    ...(fleetChange === undefined ? {} : { fleetChange }),
    source,
    resourceVersion: "7",
    actor: { manager: "external-secrets", operation: "Update", time: time(minute) },
  };
}

function decided(cluster: string, name: string, verdict: DecisionRecord["verdict"]): DecisionRecord {
  const rest = { workload: workload(name), verdict, reason: "SourceChanged", sources: sourcesOn(cluster) };
  return { v: 1, time: time(2), type: "decision", cluster: on(cluster), ...rest };
}

function acted(cluster: string, name: string, action: ActionRecord["action"]): ActionRecord {
  const rest = { workload: workload(name), action, sources: sourcesOn(cluster) };
  return { v: 1, time: time(3), type: "action", cluster: on(cluster), ...rest };
}

function ended(cluster: string, name: string, result: OutcomeRecord["result"]): OutcomeRecord {
  const rest = {
    workload: workload(name),
    result,
    reason: "Available" as const,
    seconds: 3,
    sources: sourcesOn(cluster),
  };
  return { v: 1, time: time(4), type: "outcome", cluster: on(cluster), ...rest };
}

/** The source is written again, which is another change. */
const newer = { ...changed("nova", "f1-b", 3), change: "uid-nova/db@8" };
const newerSources = [{ ...source, change: "uid-nova/db@8" }];

test("one content on many clusters is one change with the outcome of all its workloads", () => {
  const records: readonly HistoryRecord[] = [
    changed("nova", "f1-a"),
    changed("otech", "f1-a", 2),
    decided("nova", "api", "roll"),
    acted("nova", "api", "rolled"),
    ended("nova", "api", "healthy"),
    decided("otech", "api", "held"),
    decided("otech", "web", "no"),
    acted("otech", "job", "rolled"),
  ];
  expect(summarizeChanges(records)).toEqual([
    {
      id: "f1-a",
      source,
      time: time(1),
      actors: ["external-secrets"],
      clusters: ["nova", "otech"],
      clusterCount: 2,
      workloads: {
        unchanged: 1,
        held: 1,
        rolling: 1,
        healthy: 1,
        failed: 0,
        stalled: 0,
        discarded: 0,
        superseded: 0,
        gone: 0,
      },
      isDone: false,
    },
  ]);
});

test("a change is done when every workload is healthy or stays as it is", () => {
  const done = [changed("nova", "f1-a"), ended("nova", "api", "healthy"), decided("nova", "web", "no")];
  expect(summarizeChanges(done)[0]?.isDone).toBe(true);
  for (const more of [
    ended("nova", "x", "stalled"),
    acted("nova", "x", "failed"),
    decided("nova", "x", "held"),
  ])
    expect(summarizeChanges([...done, more])[0]?.isDone).toBe(false);
});

test("records of older versions, without a fleet id, are told apart by cluster", () => {
  const summaries = summarizeChanges([changed("nova", undefined), changed("otech", undefined, 3)]);
  expect(summaries.map(({ id }) => id)).toEqual(["uid-otech/db@7", "uid-nova/db@7"]);
});

test("a rollout that was replaced by a newer one ends with it, for both changes", () => {
  const sources = newerSources;
  const records = [
    changed("nova", "f1-a"),
    acted("nova", "api", "rolled"),
    newer,
    { ...acted("nova", "api", "rolled"), sources },
    { ...ended("nova", "other", "failed"), sources },
  ];
  expect(summarizeChanges(records).map(({ workloads }) => workloads.rolling)).toEqual([1, 1]);
  const summaries = summarizeChanges([...records, { ...ended("nova", "api", "healthy"), sources }]);
  expect(summaries.map(({ id, workloads }) => [id, workloads.healthy, workloads.failed])).toEqual([
    ["f1-b", 1, 1],
    ["f1-a", 1, 0],
  ]);
});

const standsOf = (records: readonly HistoryRecord[]) =>
  summarizeChanges(records).map(({ id, isDone, workloads }) => {
    const counts = Object.entries(workloads).filter(([, count]) => count > 0);
    return [id, isDone, ...counts.map(([progress, count]) => `${count} ${progress}`)];
  });

test("a hold that ends with a roll of newer content ends for both changes", () => {
  const sources = newerSources;
  const rolled = [
    changed("nova", "f1-a"),
    decided("nova", "api", "held"),
    decided("nova", "web", "held"),
    newer,
    { ...decided("nova", "api", "roll"), sources },
    { ...acted("nova", "api", "rolled"), sources },
  ];
  expect(standsOf(rolled)).toEqual([
    ["f1-b", false, "1 rolling"],
    ["f1-a", false, "1 held", "1 rolling"],
  ]);
  const healthy = (name: string) => ({ ...ended("nova", name, "healthy"), sources });
  const ofWeb = [{ ...acted("nova", "web", "rolled"), sources }, healthy("web")];
  expect(standsOf([...rolled, healthy("api"), ...ofWeb])).toEqual([
    ["f1-b", true, "2 healthy"],
    ["f1-a", true, "2 healthy"],
  ]);
  const failed = { ...ended("nova", "api", "failed"), sources };
  expect(unsuccessfulWorkloads([...rolled, failed])).toMatchObject([{ progress: "failed", sources }]);
});

test("content that is taken back while it is held has nothing to wait for", () => {
  const held = [changed("nova", "f1-a"), decided("nova", "api", "held")];
  const stays = { ...decided("nova", "api", "no"), reason: "ContentUnchanged", sources: newerSources };
  expect(standsOf([...held, newer, stays])).toEqual([
    ["f1-b", true, "1 unchanged"],
    ["f1-a", true, "1 unchanged"],
  ]);
  const other = { ...source, name: "mail" };
  const mail = { ...changed("nova", "f1-m", 3), change: "uid-nova/mail@1", source: other };
  const sources = [{ ...other, change: "uid-nova/mail@1" }];
  const rolled = { ...acted("nova", "api", "rolled"), sources };
  expect(standsOf([...held, mail, rolled])).toEqual([
    ["f1-m", false, "1 rolling"],
    ["f1-a", true, "1 unchanged"],
  ]);
});

test("only the end of its hold ends it: not an earlier rollout, nor one of a namesake", () => {
  const sources = newerSources;
  const held = [changed("nova", "f1-a"), decided("nova", "api", "held"), newer];
  const elsewhere = [changed("otech", "f1-a"), { ...acted("otech", "api", "rolled"), sources }];
  for (const more of [
    { ...ended("nova", "api", "healthy"), sources },
    { ...decided("nova", "api", "held"), sources },
    { ...acted("nova", "api", "failed"), sources },
    ...elsewhere,
  ])
    expect(standsOf([...held, more]).at(-1)).toEqual(["f1-a", false, "1 held"]);
  // The later progress is not undone.
  const failed = [...held.slice(0, 2), acted("nova", "api", "failed"), newer];
  for (const more of [decided("nova", "api", "no"), acted("nova", "api", "rolled")])
    expect(standsOf([...failed, { ...more, sources }]).at(-1)).toEqual(["f1-a", false, "1 failed"]);
});

test("what refers to a change that is not among the records counts nowhere", () => {
  expect(summarizeChanges([acted("nova", "api", "rolled")])).toEqual([]);
});

test("the details of a change list what needs somebody first, with its reason", () => {
  const records: readonly HistoryRecord[] = [
    changed("nova", "f1-a"),
    changed("otech", "f1-a", 2),
    decided("nova", "web", "no"),
    decided("otech", "web", "held"),
    ended("nova", "api", "healthy"),
    ended("otech", "api", "failed"),
  ];
  const stands = foldChanges(records)
    .details("f1-a")
    ?.workloads.map(({ cluster, workload: { name }, progress, reason }) => [cluster, name, progress, reason]);
  expect(stands).toEqual([
    ["otech", "api", "failed", "Available"],
    ["otech", "web", "held", "SourceChanged"],
    ["nova", "api", "healthy", "Available"],
    ["nova", "web", "unchanged", "SourceChanged"],
  ]);
});

test("a workload is unsuccessful while its last roll failed or stalled", () => {
  const failed = [changed("nova", "f1-a"), acted("nova", "api", "rolled"), ended("nova", "api", "failed")];
  const sources = [{ ...source, change: "uid-nova/db@8" }];
  const later = { ...changed("nova", "f1-b", 5), change: "uid-nova/db@8" };
  const stays = { ...decided("nova", "api", "no"), time: time(6), sources };
  const held = { ...decided("nova", "api", "held"), time: time(6), sources };
  for (const records of [failed, [...failed, later, stays], [...failed, later, held]])
    expect(unsuccessfulWorkloads(records)).toMatchObject([{ cluster: "nova", progress: "failed" }]);
  const again = { ...acted("nova", "api", "rolled"), time: time(6), sources };
  expect(unsuccessfulWorkloads([...failed, later, again])).toEqual([]);
  const stalled = { ...ended("nova", "api", "stalled"), time: time(7), sources };
  expect(unsuccessfulWorkloads([...failed, later, again, stalled])).toMatchObject([{ progress: "stalled" }]);
});

test("a failed roll that is discarded is so for its changes until the next roll", () => {
  const failed = [changed("nova", "f1-a"), acted("nova", "api", "rolled"), ended("nova", "api", "failed")];
  const discarded = {
    ...acted("nova", "api", "discarded"),
    sources: [],
    by: "ann",
    why: "retired",
    time: time(5),
  };
  const records = [...failed, discarded];
  expect(unsuccessfulWorkloads(records)).toEqual([]);
  expect(summarizeChanges(records)).toMatchObject([{ workloads: { failed: 0, discarded: 1 }, isDone: true }]);
  expect(foldChanges(records).details("f1-a")?.workloads).toMatchObject([
    { progress: "discarded", message: "discarded by ann: retired" },
  ]);
  const later = { ...ended("nova", "api", "failed"), time: time(6) };
  expect(unsuccessfulWorkloads([...records, later])).toMatchObject([{ progress: "failed" }]);
});

test("what did not fail is not discarded with what did", () => {
  const healthy = [changed("nova", "f1-a"), ended("nova", "api", "failed"), ended("nova", "api", "healthy")];
  const discarded = {
    ...acted("nova", "api", "discarded"),
    sources: [],
    by: "ann",
    why: "retired",
    time: time(5),
  };
  expect(summarizeChanges([...healthy, discarded])).toMatchObject([
    { workloads: { healthy: 1, discarded: 0 } },
  ]);
});

test("a change is found by its id in one cluster, and another one is not", () => {
  const records = [changed("nova", "f1-a"), changed("otech", "f1-b")];
  expect(foldChanges(records).details("uid-otech/db@7")?.change.id).toBe("f1-b");
  expect(foldChanges(records).details("f1-c")).toBeUndefined();
});

test("changes of the same moment have one order, whatever the order of their records", () => {
  const records = ["f1-b", "f1-a", "f1-c"].map((id, at) => changed(`c${at}`, id));
  const idsOf = (all: readonly HistoryRecord[]) => summarizeChanges(all).map(({ id }) => id);
  expect(idsOf(records)).toEqual(["f1-a", "f1-b", "f1-c"]);
  expect(idsOf(records.toReversed())).toEqual(idsOf(records));
});

test("a user that an audit event told of is named, also when the event came late", () => {
  const user = (name: string) => ({ user: name, groups: [], userAgent: "kubectl" });
  const actor = { manager: "kubectl-edit", operation: "Update", time: time(1) } as const;
  const plain = { ...changed("nova", "f1-a"), actor };
  const named = {
    ...plain,
    actor: { ...actor, users: [user("ann"), { ...user("bob"), impersonated: "ops" }] },
  };
  const texts = ["ann with kubectl-edit", "bob as ops with kubectl-edit"];
  expect(summarizeChanges([plain])[0]?.actors).toEqual(["kubectl-edit"]);
  expect(summarizeChanges([plain, named])[0]?.actors).toEqual(texts);
  expect(summarizeChanges([named, plain])[0]?.actors).toEqual(texts);
  const one = { ...plain, actor: { ...actor, users: [user("ann")] } };
  expect(summarizeChanges([one])[0]?.actors).toEqual(["ann with kubectl-edit"]);
  expect(summarizeChanges([plain, one, named])[0]?.actors).toEqual(texts);
  expect(summarizeChanges([named, changed("otech", "f1-a")])[0]?.actors).toEqual([
    ...texts,
    "external-secrets",
  ]);
});
