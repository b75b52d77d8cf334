import type { AuditedUser } from "@fleet-reloader/domain/hint/audited-write";
import {
  type ChangeRecord,
  type HistoryRecord,
  historyVersion,
} from "@fleet-reloader/engine/history/history";
import { LateUsers } from "@fleet-reloader/engine/history/late-users";
import { expect, test } from "vitest";
import { CollectedLog } from "../../memory/collected-log.ts";
import { ManualClock } from "../../memory/manual-clock.ts";

const minuteMs = 60_000;
const ann: AuditedUser = { user: "ann", groups: [], userAgent: "kubectl/v1" };

function startLate(isAsked: (cluster: string) => boolean = () => true) {
  const clock = new ManualClock();
  const records: HistoryRecord[] = [];
  const state = { users: [] as readonly AuditedUser[], asked: 0, isDown: false };
  const late = new LateUsers({
    history: { append: (more) => void records.push(...more) },
    async *read(since) {
      if (state.isDown) throw new Error("Redis is down");
      const from = "afterId" in since ? Number(since.afterId) + 1 : 0;
      for (const [at, record] of records.entries()) if (at >= from) yield { id: String(at), record };
    },
    writes: {
      async candidates() {
        state.asked += 1;
        return state.users;
      },
    },
    isAsked,
    clock,
    log: new CollectedLog(),
  });
  const lifetime = new AbortController();
  const running = late.run(lifetime.signal);
  const write = (name: string, users?: readonly AuditedUser[], cluster = "c1") => {
    const time = new Date(clock.now()).toISOString();
    const actor = { manager: "kubectl-edit", operation: "Update" as const, time };
    const record: ChangeRecord = {
      v: historyVersion,
      time,
      cluster: { id: cluster, name: cluster },
      type: "change",
      change: `${cluster}/${name}@7`,
      source: { kind: "ConfigMap", namespace: "shop", name },
      resourceVersion: "7",
      actor: users === undefined ? actor : { ...actor, users },
    };
    records.push(record);
    return record;
  };
  return {
    clock,
    records,
    state,
    write,
    async [Symbol.asyncDispose]() {
      lifetime.abort();
      await running;
    },
  };
}

const bob: AuditedUser = { ...ann, user: "bob" };

test("an event that comes minutes later names the user in a record of its own", async () => {
  await using bed = startLate();
  const first = bed.write("settings");
  await bed.clock.advance(4 * minuteMs);
  expect(bed.records).toEqual([first]);
  bed.state.users = [ann];
  await bed.clock.advance(100 * minuteMs);
  expect(bed.records).toEqual([
    first,
    { ...first, time: expect.any(String), actor: { ...first.actor, users: [ann] } },
  ]);
});

test("who wrote in the same second is named when that event comes, too", async () => {
  await using bed = startLate();
  bed.write("settings");
  bed.state.users = [ann];
  await bed.clock.advance(minuteMs);
  bed.state.users = [ann, bob];
  await bed.clock.advance(100 * minuteMs);
  const named = bed.records.map((one) => (one.type === "change" ? one.actor?.users?.length : -1));
  expect(named).toEqual([undefined, 1, 2]);
});

test("a change whose event never comes is asked about six times", async () => {
  await using bed = startLate();
  bed.write("settings");
  await bed.clock.advance(120 * minuteMs);
  expect([bed.state.asked, bed.records.length]).toEqual([6, 1]);
});

test("a change that names its users already is recorded no second time", async () => {
  await using bed = startLate();
  bed.write("settings", [ann]);
  bed.state.users = [ann];
  await bed.clock.advance(120 * minuteMs);
  expect(bed.records).toHaveLength(1);
});

test("a change of a cluster of another process is not asked about", async () => {
  await using bed = startLate((cluster) => cluster === "c2");
  bed.write("settings");
  await bed.clock.advance(120 * minuteMs);
  expect(bed.state.asked).toBe(0);
});

test("a cluster that another process leaves to us is asked about from then on", async () => {
  let isOurs = false;
  await using bed = startLate(() => isOurs);
  bed.write("settings");
  await bed.clock.advance(10 * minuteMs);
  bed.state.users = [ann];
  isOurs = true;
  await bed.clock.advance(100 * minuteMs);
  expect(bed.records.map((one) => one.type === "change" && one.actor?.users)).toEqual([undefined, [ann]]);
});

test("a change that its process leaves undone for more than an hour is forgotten", async () => {
  let isOurs = false;
  await using bed = startLate(() => isOurs);
  bed.write("settings");
  await bed.clock.advance(61 * minuteMs);
  isOurs = true;
  await bed.clock.advance(minuteMs);
  expect(bed.state.asked).toBe(0);
});

test("a Redis that is away for a while costs no user", async () => {
  await using bed = startLate();
  bed.state.isDown = true;
  bed.write("settings");
  await bed.clock.advance(10 * minuteMs);
  bed.state.isDown = false;
  bed.state.users = [ann];
  await bed.clock.advance(10 * minuteMs);
  expect(bed.records).toHaveLength(2);
});

test("of very many changes the newest wait", async () => {
  await using bed = startLate();
  for (let at = 0; at < 3000; at += 1) bed.write(`s${at}`);
  await bed.clock.advance(20_000);
  expect(bed.state.asked).toBe(2000);
});

test("the changes of other processes push none of ours out", async () => {
  await using bed = startLate((cluster) => cluster === "c1");
  bed.write("settings");
  for (let at = 0; at < 3000; at += 1) bed.write(`s${at}`, undefined, "c2");
  await bed.clock.advance(20_000);
  expect(bed.state.asked).toBe(1);
});
