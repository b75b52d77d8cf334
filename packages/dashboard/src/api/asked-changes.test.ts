import type {
  ActionRecord,
  ChangeRecord,
  HistoryRecord,
  OutcomeRecord,
} from "@fleet-reloader/engine/history/history";
import { expect, test } from "vitest";
import { readerOf, startServedFleet } from "../fixture/served-fleet.ts";

const cluster = { id: "uid-nova", name: "nova" };
const time = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const sourceOf = (name: string) => ({ kind: "Secret", namespace: "shop", name }) as const;
const workload = { kind: "Deployment", namespace: "shop", name: "api" };

function changed(name: string, second: number): ChangeRecord {
  const rest = { source: sourceOf(name), resourceVersion: "7" };
  return { v: 1, time: time(second), type: "change", cluster, change: `nova/${name}@7`, ...rest };
}

function rolled(name: string, second: number): ActionRecord {
  const sources = [{ ...sourceOf(name), change: `nova/${name}@7` }];
  return { v: 1, time: time(second), type: "action", cluster, workload, action: "rolled", sources };
}

function ended(sources: OutcomeRecord["sources"], second: number): OutcomeRecord {
  const rest = { result: "healthy", reason: "Available", seconds: 1, sources } as const;
  return { v: 1, time: time(second), type: "outcome", cluster, workload, ...rest };
}

async function asked(records: readonly HistoryRecord[], query: string) {
  await using served = await startServedFleet({ reader: readerOf(records) });
  return JSON.parse((await served.ask(`/api/v1/changes?since=2026-01-01T00:00:00Z&${query}`)).body);
}

test("a change of one name is done when the end of its roll names no source", async () => {
  const records = [changed("db", 1), rolled("db", 1), ended([], 20)];
  for (const query of ["name=db", "change=nova%2Fdb%407", "namespace=shop", "cluster=nova"])
    expect(await asked(records, query), query).toMatchObject({
      count: 1,
      changes: [{ isDone: true, workloads: { healthy: 1, rolling: 0 } }],
    });
});

test("a change of one name is done when a roll for another source has ended", async () => {
  const end = ended([{ ...sourceOf("mail"), change: "nova/mail@7" }], 20);
  const records = [changed("db", 1), rolled("db", 1), changed("mail", 3), rolled("mail", 3), end];
  expect(await asked(records, "name=db")).toMatchObject({
    count: 1,
    changes: [{ source: { name: "db" }, isDone: true }],
  });
});

test("the name of a workload finds the changes that concerned it", async () => {
  const records = [changed("db", 1), rolled("db", 1), ended([], 2), changed("unused", 3)];
  expect(await asked(records, "name=api")).toMatchObject({ count: 1, changes: [{ id: "nova/db@7" }] });
  expect(await asked(records, "name=web")).toMatchObject({ count: 0 });
  expect(await asked(records, "name=api&namespace=other")).toMatchObject({ count: 0 });
});
