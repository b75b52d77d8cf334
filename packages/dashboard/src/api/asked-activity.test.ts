import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { expect, test } from "vitest";
import { readerOf, startServedFleet } from "../fixture/served-fleet.ts";

const cluster = { id: "uid-nova", name: "nova" };
const workload = { kind: "Deployment", namespace: "shop", name: "api" };
const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const sourceOf = (name: string) => ({ kind: "Secret", namespace: "shop", name }) as const;

function rolled(name: string, second: number): HistoryRecord {
  const sources = [{ ...sourceOf(name), change: `nova/${name}@7` }];
  return { v: 1, time: time(second), type: "action", cluster, workload, action: "rolled", sources };
}

function failed(names: readonly string[], second: number): HistoryRecord {
  const reason = "ProgressDeadlineExceeded";
  const rest = { result: "failed", reason, seconds: 1, sources: names.map(sourceOf) } as const;
  return { v: 1, time: time(second), type: "outcome", cluster, workload, ...rest };
}

/** The failures of all slots, and the age of the oldest open item at the end. */
async function activityOf(records: readonly HistoryRecord[], query: string) {
  await using served = await startServedFleet({ reader: readerOf(records) });
  const { slots } = JSON.parse(
    (await served.ask(`/api/v1/activity?since=2026-01-01T00:00:00Z&${query}`)).body,
  );
  return {
    failed: slots.reduce((sum: number, slot: { failed: number }) => sum + slot.failed, 0),
    open: slots.at(-1).oldestMs ?? null,
  };
}

test.each([
  { how: "names no source", end: failed([], 20) },
  { how: "names a source that was rolled for later", end: failed(["mail"], 20) },
])("the activity of one source has the end of its rollout, which $how", async ({ end }) => {
  const records = [rolled("db", 1), end];
  expect(await activityOf(records, "")).toMatchObject({ failed: 1 });
  for (const query of ["name=db", "name=api", "name=db&namespace=shop"])
    expect(await activityOf(records, query), query).toEqual({ failed: 1, open: null });
  expect(await activityOf(records, "name=web")).toEqual({ failed: 0, open: null });
});

test("the failure of another source's rollout is no activity of one that has not begun", async () => {
  expect(await activityOf([rolled("mail", 1), failed([], 20)], "name=db")).toMatchObject({ failed: 0 });
});
