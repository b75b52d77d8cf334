import { expect, test } from "vitest";
import { type ActionRecord, type HistoryRecord, workloadGone } from "../../history/history.ts";
import { foldChanges } from "./change-folds.ts";

const head = { v: 1, time: "2026-07-01T12:00:00.000Z", cluster: { id: "uid-nova", name: "nova" } } as const;
const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
const change = "uid-nova/db@7";
const about = (name: string) => ({
  workload: { kind: "Deployment", namespace: "shop", name },
  sources: [{ ...source, change }],
});
const acted = (name: string, action: ActionRecord["action"]): HistoryRecord => ({
  ...{ ...head, ...about(name), type: "action", action },
});
const decided = (name: string, verdict: "held" | "no", reason: string): HistoryRecord => ({
  ...{ ...head, ...about(name), type: "decision", verdict, reason },
});
const gone = (name: string): HistoryRecord => ({ ...decided(name, "no", workloadGone), ...{ sources: [] } });

const records: readonly HistoryRecord[] = [
  { ...head, type: "change", change, source, resourceVersion: "7" },
  decided("held", "held", "Frozen"),
  acted("rolling", "rolled"),
  acted("failed", "failed"),
  acted("healthy", "rolled"),
  {
    ...{ ...head, ...about("healthy"), type: "outcome", result: "healthy" },
    ...{ reason: "Available", seconds: 3 },
  },
  ...["held", "rolling", "failed", "healthy", "other"].map(gone),
];

test("a workload that is deleted while it is held, rolls or has failed ends as gone", () => {
  const [summary] = foldChanges(records).summaries();
  expect(summary?.workloads).toMatchObject({ held: 0, rolling: 0, failed: 0, healthy: 1, gone: 3 });
  expect(summary?.workloads.unchanged).toBe(0);
  expect(summary?.isDone).toBe(true);
  expect(foldChanges(records).unsuccessful()).toEqual([]);
});

test("a workload of the same name that comes later stands where it stands", () => {
  const again = foldChanges([...records, acted("held", "rolled")]);
  expect(again.summaries()[0]?.workloads).toMatchObject({ rolling: 1, gone: 2 });
});
