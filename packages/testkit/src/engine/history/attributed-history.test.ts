import type { AuditedUser } from "@fleet-reloader/domain/hint/audited-write";
import { AttributedHistory } from "@fleet-reloader/engine/history/attributed-history";
import {
  type ChangeRecord,
  type HistoryRecord,
  historyVersion,
} from "@fleet-reloader/engine/history/history";
import { expect, test } from "vitest";
import { CollectedLog } from "../../memory/collected-log.ts";
import { ManualClock } from "../../memory/manual-clock.ts";

const source = { kind: "ConfigMap", namespace: "shop", name: "settings" } as const;
const ann: AuditedUser = { user: "ann", groups: ["team-a"], userAgent: "kubectl/v1" };
const bob: AuditedUser = { ...ann, user: "bob" };

function change(name: string): ChangeRecord {
  return {
    v: historyVersion,
    time: "2026-11-23T10:00:05.000Z",
    cluster: { id: "c1", name: "nova" },
    type: "change",
    change: `c1/ConfigMap/shop/${name}@7`,
    source: { ...source, name },
    resourceVersion: "7",
    actor: { manager: "kubectl-edit", operation: "Update", time: "2026-11-23T10:00:00.000Z" },
  };
}

function attributed(candidates: (name: string) => Promise<readonly AuditedUser[]>) {
  const records: HistoryRecord[] = [];
  const clock = new ManualClock(Date.UTC(2026, 10, 23, 10, 0, 5));
  const asked: unknown[] = [];
  const history = new AttributedHistory({
    history: { append: (more) => void records.push(...more) },
    writes: {
      candidates(cluster, write) {
        asked.push([cluster, write.manager, write.atSeconds]);
        return candidates(write.source.name);
      },
    },
    clock,
    log: new CollectedLog(),
  });
  const usersOf = () =>
    records.map((record) =>
      record.type === "change" ? record.actor?.users?.map(({ user }) => user) : record.type,
    );
  return { history, clock, asked, usersOf };
}

const other: HistoryRecord = {
  v: historyVersion,
  time: "2026-11-23T10:00:05.000Z",
  type: "operator",
  action: "freeze",
  by: "ops",
  target: "fleet",
};

test("a change names who may have made it, all of them, in the order of the calls", async () => {
  const bed = attributed(async (name) => (name === "settings" ? [ann, bob] : []));
  bed.history.append([change("settings"), change("unknown")]);
  bed.history.append([other]);
  await bed.history.settled;
  expect(bed.usersOf()).toEqual([["ann", "bob"], undefined, "operator"]);
  expect(bed.asked[0]).toEqual(["c1", "kubectl-edit", Date.UTC(2026, 10, 23, 10) / 1000]);
});

test("what is no change is recorded at once", () => {
  const bed = attributed(async () => [ann]);
  bed.history.append([other]);
  expect(bed.usersOf()).toEqual(["operator"]);
});

test("a change is recorded without users when nobody can be asked", async () => {
  const bed = attributed(() => Promise.reject(new Error("Redis is down")));
  bed.history.append([change("settings")]);
  await bed.history.settled;
  expect(bed.usersOf()).toEqual([undefined]);
});

test("a lookup that does not end delays a record by a second", async () => {
  const bed = attributed(() => new Promise(() => undefined));
  bed.history.append([change("settings"), other]);
  await bed.clock.advance(1000);
  await bed.history.settled;
  expect(bed.usersOf()).toEqual([undefined, "operator"]);
});

test("of very many changes at once none is lost", async () => {
  const bed = attributed(async () => [ann]);
  for (let at = 0; at < 3000; at += 1) bed.history.append([change(`s${at}`)]);
  await bed.history.settled;
  expect(bed.usersOf()).toHaveLength(3000);
});

test("one lookup serves all workloads of a change within a second", async () => {
  const { history, clock, asked, usersOf } = attributed(async () => [ann]);
  for (let roll = 0; roll < 5; roll += 1) history.append([change("settings")]);
  await history.settled;
  expect([asked.length, usersOf()]).toEqual([1, Array.from({ length: 5 }, () => ["ann"])]);
  await clock.advance(1000);
  history.append([change("settings")]);
  await history.settled;
  expect(asked).toHaveLength(2);
});

test("a change of the last seconds names nobody until all events can have come", async () => {
  const { history, asked, usersOf } = attributed(async () => [ann]);
  const young = { manager: "kubectl-edit", operation: "Update", time: "2026-11-23T10:00:03.000Z" } as const;
  history.append([{ ...change("settings"), actor: young }]);
  await history.settled;
  expect([asked.length, usersOf()]).toEqual([0, [undefined]]);
});
