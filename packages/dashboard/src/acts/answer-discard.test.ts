import { historyFilter } from "@fleet-reloader/contracts/history-filter";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import { expect, test } from "vitest";
import { actingFleet, admin, callerWith } from "../fixture/acting-fleet.ts";
import { failedRollRecords } from "../fixture/failed-rolls.ts";
import { startServedFleet } from "../fixture/served-fleet.ts";

/** A dashboard of a fleet with failed rolls: `api` on both clusters, and `web` on one for another reason. */
async function startDiscarding(caller = admin) {
  const fleet = actingFleet(caller);
  fleet.history.push(
    ...failedRollRecords("nova", "api", "ProgressDeadlineExceeded"),
    ...failedRollRecords("otech62", "api", "ProgressDeadlineExceeded"),
    ...failedRollRecords("nova", "web", "NoProgress"),
  );
  const served = await startServedFleet({ acts: fleet.acts, overview: fleet.overview });
  const headers = { "content-type": "application/json" };
  return {
    fleet,
    failed: () =>
      foldChanges(fleet.history)
        .unsuccessful()
        .map(({ cluster, workload }) => [cluster, workload.name]),
    async discard(body: object) {
      const sent = await served.ask("/api/v1/acts/discard", headers, "POST", JSON.stringify(body));
      return { status: sent.status, answer: JSON.parse(sent.body) };
    },
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

const why = { reason: "the tenant is gone" };
const discardedOf = (records: readonly HistoryRecord[]) =>
  records.filter((record) => record.type === "action" && record.action === "discarded");

test("what is discarded leaves what failed without a roll, and says by whom and why", async () => {
  await using acting = await startDiscarding();
  const meant = await acting.discard({ cause: "ProgressDeadlineExceeded", dryRun: true });
  expect(meant).toMatchObject({
    status: 200,
    answer: { target: "failed rolls by ProgressDeadlineExceeded", count: 2, isDone: false },
  });
  const sent = await acting.discard({ cause: "ProgressDeadlineExceeded", expect: 2, ...why });
  expect(sent).toMatchObject({ status: 200, answer: { isDone: true, count: 2 } });
  expect(acting.failed()).toEqual([["nova", "web"]]);
  expect(acting.fleet.added).toEqual([]);
  expect(discardedOf(acting.fleet.history)).toMatchObject([
    { cluster: { name: "nova" }, workload: { name: "api" }, by: "ann", why: "the tenant is gone" },
    { cluster: { name: "otech62" }, workload: { name: "api" }, by: "ann" },
  ]);
  expect(acting.fleet.records).toMatchObject([
    { action: "discard", by: "ann", reason: "the tenant is gone", count: 2 },
  ]);
});

test.each([{ change: "f1-a" }, { name: "db" }])(
  "a discarded change is no failed one by %j",
  async (wanted) => {
    await using acting = await startDiscarding();
    expect(await acting.discard({ expect: 3, ...why })).toMatchObject({ status: 200 });
    const shown = acting.fleet.history.filter(historyFilter(wanted));
    expect(foldChanges(shown).summaries()).toMatchObject([
      { workloads: { failed: 0, discarded: 3 }, isDone: true },
    ]);
  },
);

test("a cluster goes by its name of now, whatever it was called when a roll failed", async () => {
  await using acting = await startDiscarding();
  acting.fleet.history.splice(0);
  acting.fleet.history.push(...failedRollRecords("nova", "api", "NoProgress", "otech62"));
  const inOther = await acting.discard({ cluster: "otech62", dryRun: true });
  expect(inOther).toMatchObject({ status: 400, answer: { field: "object" } });
  expect(await acting.discard({ cluster: "nova", dryRun: true })).toMatchObject({ answer: { count: 1 } });
});

test("a discard in parts ends with what is done when something else has failed", async () => {
  await using acting = await startDiscarding();
  const first = await acting.discard({ expect: 3, batch: 1, ...why });
  expect(first).toMatchObject({ status: 200, answer: { count: 3, done: 1, isDone: false } });
  const second = await acting.discard({ next: first.answer.next, batch: 1, ...why });
  expect(second.answer).toMatchObject({ count: 3, done: 2 });
  acting.fleet.history.push(...failedRollRecords("otech62", "zeta", "ProgressDeadlineExceeded"));
  const third = await acting.discard({ next: second.answer.next, batch: 1, ...why });
  expect(third).toMatchObject({ status: 409, answer: { field: "expect", count: 2 } });
  expect(acting.failed()).toEqual([
    ["otech62", "api"],
    ["otech62", "zeta"],
  ]);
  expect(acting.fleet.records.map(({ count }) => count)).toEqual([1, 1]);
});

test("what a request waits for is not given up, so it is not discarded", async () => {
  await using acting = await startDiscarding();
  acting.fleet.waiting.add("uid-nova/api");
  const object = "Deployment/api";
  expect(await acting.discard({ object, expect: 2, ...why })).toMatchObject({
    status: 409,
    answer: { field: "expect", count: 1 },
  });
  acting.fleet.waiting.add("uid-otech62/api");
  const nothing = await acting.discard({ object, expect: 1, ...why });
  expect(nothing).toMatchObject({
    status: 400,
    answer: { problem: "object: failed rolls of Deployment/api: none is given up" },
  });
  expect(acting.failed()).toHaveLength(3);
});

test.each([
  [{ expect: 3 }, 400, "reason", "it is missing"],
  [{ ...why }, 400, "expect", "it is missing"],
  [{ ...why, expect: 37 }, 409, "expect", "3 workloads are meant now"],
  [{ ...why, object: "Secret/db" }, 400, "object", "names no workload"],
  [{ ...why, cluster: "vega" }, 400, "cluster", "no cluster is called vega"],
  [{ ...why, cause: "none" }, 400, "object", "none is given up"],
])("a discard %j is refused with %i", async (body, status, field, problem) => {
  await using acting = await startDiscarding();
  const refused = await acting.discard(body);
  expect(refused).toMatchObject({ status, answer: { field } });
  expect(refused.answer.problem).toContain(problem);
  expect([acting.failed().length, acting.fleet.records]).toEqual([3, []]);
});

test("an operator of a namespace of a cluster discards what failed there alone", async () => {
  const shop = { cluster: "nova", namespace: "shop" };
  await using acting = await startDiscarding(callerWith("bob", [{ role: "operator", ...shop }]));
  expect(await acting.discard({ dryRun: true })).toMatchObject({ status: 403 });
  expect(await acting.discard({ cluster: "otech62", namespace: "shop", dryRun: true })).toMatchObject({
    status: 403,
  });
  expect(await acting.discard({ ...shop, expect: 2, ...why })).toMatchObject({ status: 200 });
  expect(acting.failed()).toEqual([["otech62", "api"]]);
});
