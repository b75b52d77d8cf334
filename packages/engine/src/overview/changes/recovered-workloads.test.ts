import { expect, test } from "vitest";
import type { ActionRecord, HistoryRecord, OutcomeRecord } from "../../history/history.ts";
import { foldChanges } from "./change-folds.ts";

const head = { v: 1, time: "2026-07-01T12:00:00.000Z", cluster: { id: "uid-nova", name: "nova" } } as const;
const sourceOf = (name: string) => ({ kind: "Secret", namespace: "shop", name }) as const;
const workload = { kind: "Deployment", namespace: "shop", name: "api" };
const sourcesOf = (name: string) => [{ ...sourceOf(name), change: `uid-nova/${name}@7` }];
const changed = (name: string): HistoryRecord => ({
  ...{ ...head, type: "change", change: `uid-nova/${name}@7` },
  ...{ source: sourceOf(name), resourceVersion: "7" },
});
const acted = (name: string, action: ActionRecord["action"]): HistoryRecord => ({
  ...{ ...head, type: "action", workload, action, sources: sourcesOf(name) },
});
const ended = (name: string, result: OutcomeRecord["result"]): HistoryRecord => ({
  ...{ ...head, type: "outcome", workload, result, reason: "Available", seconds: 3 },
  sources: sourcesOf(name),
});

/** Two changes, and one rollout for both: the second roll came while the first one was under way. */
const stalled = [
  changed("db"),
  changed("mail"),
  acted("db", "rolled"),
  acted("mail", "rolled"),
  ended("mail", "stalled"),
];

const countsOf = (records: readonly HistoryRecord[]) =>
  Object.fromEntries(
    foldChanges(records)
      .summaries()
      .map(({ source, workloads: { failed, healthy, rolling, stalled: stuck } }) => [
        source.name,
        { failed, healthy, rolling, stalled: stuck },
      ]),
  );
const none = { failed: 0, healthy: 0, rolling: 0, stalled: 0 };

test("a rollout that recovers is healthy for every change that it stalled for", () => {
  expect(countsOf(stalled)).toEqual({ db: { ...none, stalled: 1 }, mail: { ...none, stalled: 1 } });
  const recovered = [...stalled, ended("mail", "healthy")];
  expect(countsOf(recovered)).toEqual({ db: { ...none, healthy: 1 }, mail: { ...none, healthy: 1 } });
  expect(
    foldChanges(recovered)
      .summaries()
      .map(({ isDone }) => isDone),
  ).toEqual([true, true]);
  expect(foldChanges(recovered).unsuccessful()).toEqual([]);
});

test("a roll whose write failed does not recover with an earlier rollout", () => {
  const records = [changed("tls"), ...stalled, acted("tls", "failed"), ended("mail", "healthy")];
  expect(countsOf(records)).toMatchObject({ db: { healthy: 1 }, tls: { failed: 1, healthy: 0 } });
});

const mended = [...stalled, changed("tls"), acted("tls", "rolled")];

test("what a workload failed for is superseded when a later roll is healthy", () => {
  const records = [...mended, ended("tls", "healthy")];
  expect(foldChanges(records).summaries()).toMatchObject([
    { source: { name: "db" }, workloads: { stalled: 0, superseded: 1 }, isDone: true },
    { source: { name: "mail" }, workloads: { stalled: 0, superseded: 1 }, isDone: true },
    { source: { name: "tls" }, workloads: { healthy: 1 }, isDone: true },
  ]);
  expect(foldChanges(records).unsuccessful()).toEqual([]);
});

test("a later roll that is not healthy supersedes nothing until it recovers", () => {
  const records = [...mended, ended("tls", "failed")];
  expect(countsOf(records)).toMatchObject({ db: { stalled: 1 }, mail: { stalled: 1 }, tls: { failed: 1 } });
  const recovered = [...records, ended("tls", "healthy")];
  expect(
    foldChanges(recovered)
      .summaries()
      .map(({ isDone }) => isDone),
  ).toEqual([true, true, true]);
});
