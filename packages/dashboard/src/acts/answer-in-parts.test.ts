import { operatorActs } from "@fleet-reloader/engine/act/operator-acts";
import { expect, test } from "vitest";
import { actingFleet, admin, callerWith } from "../fixture/acting-fleet.ts";
import { startServedFleet } from "../fixture/served-fleet.ts";

/** A dashboard on which a person replays a source that ten workloads use. */
async function startReplaying(caller = admin) {
  const fleet = actingFleet(caller);
  const used = Array.from({ length: 10 }, (_, at) => ({
    ref: { kind: "Deployment", namespace: "shop", name: `api-${at}` },
    sources: ["Secret/shop/db"],
    patterns: [],
  }));
  fleet.workloads.set("uid-nova", used.toReversed());
  fleet.workloads.set("uid-otech62", []);
  const served = await startServedFleet({ acts: fleet.acts, overview: fleet.overview });
  const headers = { "content-type": "application/json" };
  return {
    fleet,
    added: () => fleet.added.map(({ request }) => request.workload.name),
    async replay(fields: object) {
      const given = { object: "Secret/db", reason: "rotation", expect: 10, batch: 4, ...fields };
      const { body, status } = await served.ask(
        "/api/v1/acts/replay",
        headers,
        "POST",
        JSON.stringify(given),
      );
      return { status, answer: JSON.parse(body) };
    },
    [Symbol.asyncDispose]: served[Symbol.asyncDispose],
  };
}

const names = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => `api-${first + at}`);
const anything = { action: "", by: "", text: "" };

test("an act in parts does each workload once, and its records are one act", async () => {
  await using acting = await startReplaying();
  const first = await acting.replay({});
  expect(first).toMatchObject({ status: 200, answer: { count: 10, done: 4, isDone: false } });
  expect(acting.added()).toEqual(names(0, 3));
  const second = await acting.replay({ next: first.answer.next, expect: undefined });
  expect(second).toMatchObject({ status: 200, answer: { count: 10, done: 8, isDone: false } });
  const last = await acting.replay({ next: second.answer.next });
  expect(last.answer).toMatchObject({ count: 10, done: 10, isDone: true });
  expect(last.answer.notice).toBe("replay Secret/db: 10 workloads will be checked now");
  expect(last.answer.next).toBeUndefined();
  expect(acting.added()).toEqual(names(0, 9));
  expect(acting.fleet.records.map(({ count }) => count)).toEqual([4, 4, 2]);
  expect(operatorActs(acting.fleet.records, anything)).toMatchObject([{ by: "ann", count: 10, of: 10 }]);
});

test("an act that nobody goes on with is recorded with what was done until then", async () => {
  await using acting = await startReplaying();
  await acting.replay({});
  expect(acting.added()).toEqual(names(0, 3));
  expect(operatorActs(acting.fleet.records, anything)).toMatchObject([{ count: 4, of: 10 }]);
});

test("a part that is sent twice is done twice and counts once", async () => {
  await using acting = await startReplaying();
  const { next } = (await acting.replay({})).answer;
  const answers = [await acting.replay({ next }), await acting.replay({ next })];
  expect(answers.map(({ answer }) => answer.done)).toEqual([8, 8]);
  expect(operatorActs(acting.fleet.records, anything)).toMatchObject([{ count: 8, of: 10 }]);
});

test("an act ends with what is done when other workloads are left than were meant", async () => {
  await using acting = await startReplaying();
  const { next } = (await acting.replay({})).answer;
  const ref = { kind: "Deployment", namespace: "shop", name: "late" };
  acting.fleet.workloads.get("uid-nova")?.push({ ref, sources: ["Secret/shop/db"], patterns: [] });
  const late = await acting.replay({ next });
  expect(late).toMatchObject({
    status: 409,
    answer: {
      field: "expect",
      value: "6",
      count: 7,
      problem: "expect: 7 are left now where 6 were; the act ends, and at least 4 of 10 are done",
    },
  });
  expect(acting.added()).toEqual(names(0, 3));
});

test("an act goes on only as the person who began it, and with the same words", async () => {
  const anyone = { cluster: "", namespace: "" };
  await using acting = await startReplaying(callerWith("bob", [{ role: "operator", ...anyone }]));
  const { next } = (await acting.replay({})).answer;
  for (const fields of [
    { reason: "another" },
    { object: "Secret/db", cluster: "nova" },
    { next: `${next}x` },
  ])
    expect(await acting.replay({ next, ...fields })).toMatchObject({
      status: 400,
      answer: { field: "next" },
    });
  await using other = await startReplaying();
  expect(await other.replay({ next })).toMatchObject({ status: 400, answer: { field: "next" } });
  expect([acting.added(), other.added()]).toEqual([names(0, 3), []]);
});

test.each([0, 51, 1.5, "4"])("a part of %j workloads is refused", async (batch) => {
  await using acting = await startReplaying();
  expect(await acting.replay({ batch })).toMatchObject({ status: 400, answer: { field: "batch" } });
  expect(acting.added()).toEqual([]);
});
