import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { expect, test } from "vitest";
import { readerOf, startServedFleet } from "../fixture/served-fleet.ts";

const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
const workload = { kind: "Deployment", namespace: "shop", name: "api" };

/** Records of a change on this many clusters with long names. Each holds the roll of a workload. */
function changedOn(clusterCount: number, fleetChange: string, second: number): readonly HistoryRecord[] {
  const time = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return Array.from({ length: clusterCount }, (_, at) => {
    const name = `${String(at).padStart(4, "0")}-${"long".repeat(50)}`;
    const change = `${name}/Secret/shop/db@${fleetChange}`;
    const there = { v: 1, time, cluster: { id: `uid-${name}`, name } } as const;
    const sources = [{ ...source, change }];
    return [
      { ...there, type: "change", change, fleetChange, source, resourceVersion: "7" },
      { ...there, type: "decision", workload, verdict: "held", reason: "Frozen", sources },
    ] as const;
  }).flat();
}

test("a change of a thousand clusters fits into every answer, and hides no other", async () => {
  const reader = readerOf([...changedOn(1, "f1-small", 1), ...changedOn(1000, "f1-wide", 2)]);
  await using served = await startServedFleet({ reader });
  const asked = async (path: string) => JSON.parse((await served.ask(`/api/v1${path}`)).body);
  const since = "since=2026-01-01T00:00:00Z";
  const wide = { id: "f1-wide", clusterCount: 1000, workloads: { held: 1000 } };
  const small = { id: "f1-small", clusterCount: 1, workloads: { held: 1 } };
  const status = await asked(`/status?${since}`);
  expect(status).toMatchObject({ changes: { openCount: 2, open: [wide, small] } });
  expect(await asked(`/changes?${since}&limit=1000`)).toMatchObject({ count: 2, changes: [wide, small] });
  const details = await asked(`/changes/f1-wide?${since}&limit=1000`);
  expect(details).toMatchObject({ change: wide, count: 1000 });
  expect(details.change.clusters).toHaveLength(20);
  expect(details.workloads.length).toBeGreaterThan(100);
});
