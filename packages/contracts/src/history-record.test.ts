import type { HistoryRecord, OperatorRecord } from "@fleet-reloader/engine/history/history";
import { describe, expect, test } from "vitest";
import { historyFilter, isWanted } from "./history-filter.ts";
import { parseHistoryRecord } from "./history-record.ts";
import { formatRolloutRun, parseRolloutRun } from "./rollout-run.ts";

const entry = { v: 1, time: "2026-07-01T12:00:00.000Z", cluster: { id: "uid-1", name: "prod" } } as const;
const workload = { kind: "Deployment", namespace: "shop", name: "api" };
const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
const sources = [{ ...source, change: "uid-1/Secret/shop/db@7", reason: "SourceChanged" }] as const;
const actor = { manager: "external-secrets", operation: "Update", time: "2026-07-01T12:00:00.000Z" };

const records: readonly HistoryRecord[] = [
  { ...entry, type: "change", change: "uid-1/Secret/shop/db@7", source, resourceVersion: "7", actor },
  { ...entry, type: "decision", workload, verdict: "held", reason: "Frozen", sources },
  { ...entry, type: "action", workload, action: "rolled", strategy: "annotations", sources },
  { ...entry, type: "action", workload, action: "failed", fault: "kube.rejected", sources: [] },
  {
    ...entry,
    type: "outcome",
    workload,
    result: "failed",
    reason: "CrashLoopBackOff",
    message: "m",
    seconds: 15,
    sources,
  },
  { v: 1, time: entry.time, type: "operator", action: "freeze", by: "somebody", target: "fleet" },
];
const lifted: OperatorRecord = {
  ...{ v: 1, time: entry.time, type: "operator", action: "unfreeze", by: "", target: "all that is named" },
  scope: {
    ...{ cluster: "prod", namespace: "shop" },
    ...{ workload: { kind: "Deployment", name: "api" }, source: { kind: "Secret", name: "db" } },
  },
};

test.each([...records, lifted])("a record of type $type is read as it was written", (record) => {
  expect(parseHistoryRecord(JSON.stringify(record))).toEqual(record);
});

test.each([
  ["no JSON", "{"],
  ["nothing", "null"],
  ["another version", JSON.stringify({ ...records[0], v: 2 })],
  ["another type", JSON.stringify({ ...records[0], type: "guess" })],
  ["a reason that is none", JSON.stringify({ ...records[4], reason: "Bored" })],
])("%s is no record", (_, text) => expect(parseHistoryRecord(text)).toBeUndefined());

test("a field of a later day is left out, and disturbs nobody", () => {
  expect(parseHistoryRecord(JSON.stringify({ ...records[0], mood: "good" }))).toEqual(records[0]);
});

test("a run is the same text after it was read", () => {
  const run = { rolledAtMs: 1, sources: [source, ...sources] };
  const text = formatRolloutRun(run);
  const read = parseRolloutRun(text);
  expect(read).toEqual(run);
  expect(read && formatRolloutRun(read)).toBe(text);
  expect(parseRolloutRun("{}")).toBeUndefined();
  expect(parseRolloutRun(JSON.stringify({ ...run, generation: 2 }))).toBeUndefined();
});

describe("who asks for", () => {
  const types = (filter: Parameters<typeof isWanted>[1]) =>
    records.filter((record) => isWanted(record, filter)).map(({ type }) => type);
  const all = records.map(({ type }) => type);
  const clusters = all.slice(0, 5);

  test.each([
    ["everything", {}, all],
    ["a cluster by its name", { cluster: "prod" }, clusters],
    ["a cluster by its id", { cluster: "uid-1" }, clusters],
    ["another cluster", { cluster: "dev" }, []],
    ["a namespace", { namespace: "shop" }, clusters],
    ["a workload", { namespace: "shop", name: "api" }, clusters.slice(1)],
    ["a source", { name: "db" }, ["change", "decision", "action", "outcome"]],
    ["a name in another namespace", { namespace: "other", name: "db" }, []],
  ] as const)("%s gets that", (_, filter, expected) => expect(types(filter)).toEqual(expected));
});

describe("a freeze is found by what it names", () => {
  const isFound = (scope: NonNullable<OperatorRecord["scope"]>, filter: Parameters<typeof isWanted>[1]) => {
    const freeze = { type: "operator", action: "freeze", by: "ann", target: "as it is said", scope } as const;
    return isWanted({ v: 1, time: entry.time, ...freeze }, filter);
  };
  const api = { cluster: "nova", namespace: "shop", workload: { kind: "Deployment", name: "api" } };

  test.each([
    ["its cluster", { cluster: "nova" }, { cluster: "nova" }, true],
    ["another cluster", { cluster: "nova" }, { cluster: "vega" }, false],
    ["any cluster, where it names none", { namespace: "shop" }, { cluster: "nova" }, false],
    ["its namespace", { namespace: "shop" }, { namespace: "shop" }, true],
    ["a name in its namespace, of which it names none", { namespace: "shop" }, { name: "api" }, false],
    ["its workload", api, { cluster: "nova", namespace: "shop", name: "api" }, true],
    ["its workload in another namespace", api, { namespace: "other", name: "api" }, false],
    ["its source", { source: { kind: "Secret", name: "db" } }, { name: "db" }, true],
    ["a part of the fleet, where it is the fleet", {}, { namespace: "shop" }, false],
    ["nothing in particular", {}, {}, true],
  ] as const)("%s", (_, scope, filter, expected) => expect(isFound(scope, filter)).toBe(expected));
});

test("a filter by a change finds it on every cluster, with what came of it", () => {
  const base = { v: 1 as const, time: entry.time };
  const source = { kind: "Secret" as const, namespace: "shop", name: "db" };
  const changeOn = (cluster: string, fleetChange: string) => ({
    ...base,
    cluster: { id: cluster, name: cluster },
    type: "change" as const,
    change: `${cluster}/db@7`,
    fleetChange,
    source,
    resourceVersion: "7",
  });
  const outcomeOn = (cluster: string) => ({
    ...base,
    cluster: { id: cluster, name: cluster },
    type: "outcome" as const,
    workload: { kind: "Deployment", namespace: "shop", name: "api" },
    result: "healthy" as const,
    reason: "Available" as const,
    seconds: 1,
    sources: [{ ...source, change: `${cluster}/db@7` }],
  });
  const records = [
    changeOn("nova", "f1-a"),
    changeOn("otech", "f1-a"),
    changeOn("vega", "f1-b"),
    ...["nova", "otech", "vega"].map(outcomeOn),
  ];
  const found = (change: string) => {
    const isFound = historyFilter({ change });
    return records.filter(isFound).map(({ type, cluster }) => `${type} ${cluster.id}`);
  };
  expect(found("f1-a")).toEqual(["change nova", "change otech", "outcome nova", "outcome otech"]);
  expect(found("vega/db@7")).toEqual(["change vega", "outcome vega"]);
  expect(found("f1-c")).toEqual([]);
});
