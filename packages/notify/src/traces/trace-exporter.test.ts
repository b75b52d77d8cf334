import { Fault } from "@fleet-reloader/domain/fault";
import { isJsonObject, jsonList, parseJson } from "@fleet-reloader/domain/json";
import type { TracedRoll } from "@fleet-reloader/engine/history/tracer";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { TraceExporter } from "./trace-exporter.ts";

const rolledAtMs = Date.UTC(2026, 0, 1, 0, 0, 5);
const traced = { version: "1.0.0", instance: "worker-a" };

function rollOf(name: string): TracedRoll {
  const source = (of: string) =>
    ({ kind: "Secret", namespace: "shop", name: of, change: `c1/${of}@7` }) as const;
  return {
    cluster: "c1",
    clusterName: "nova",
    workload: { kind: "Deployment", namespace: "shop", name },
    rolledAtMs,
    seenAtMs: rolledAtMs - 2500,
    takenAtMs: rolledAtMs - 500,
    strategy: "annotations",
    changes: [
      { source: source("db"), writtenAtMs: rolledAtMs - 3000 },
      { source: source("mail"), writtenAtMs: undefined },
    ],
  };
}

/** An exporter in a separate worker, and the spans that a collector has received from it. */
function startExporter() {
  const clock = new ManualClock();
  const log = new CollectedLog();
  const posts: unknown[][] = [];
  const state: { fault: Fault | undefined } = { fault: undefined };
  const receiver = {
    async post({ text }: { readonly text: string }) {
      if (state.fault !== undefined) throw state.fault;
      const [resource] = jsonList(parseJson(text), "resourceSpans");
      const [scope] = jsonList(resource, "scopeSpans");
      posts.push([...jsonList(scope, "spans")]);
    },
    close: async () => undefined,
  };
  const exporter = new TraceExporter({ receiver, traced, clock, log });
  return {
    clock,
    log,
    exporter,
    posts,
    state,
    async sent() {
      await clock.advance(5000);
      return posts.flat().filter(isJsonObject);
    },
  };
}

test("a roll links to all changes that it answers, and has its stages below it", async () => {
  const { exporter, sent } = startExporter();
  exporter.rolled(rollOf("api"));
  const spans = await sent();
  expect(spans.map(({ name }) => name)).toEqual(["change", "change", "roll", "due", "patch"]);
  const [db, mail, roll, due, patch] = spans;
  expect(roll).toMatchObject({
    startTimeUnixNano: `${rolledAtMs - 2500}000000`,
    endTimeUnixNano: `${rolledAtMs}000000`,
    links: [
      { traceId: db?.traceId, spanId: db?.spanId },
      { traceId: mail?.traceId, spanId: mail?.spanId },
    ],
  });
  for (const stage of [due, patch])
    expect(stage).toMatchObject({ traceId: roll?.traceId, parentSpanId: roll?.spanId });
  expect(due?.endTimeUnixNano).toBe(patch?.startTimeUnixNano);
  expect(db?.startTimeUnixNano).toBe(`${rolledAtMs - 3000}000000`);
  expect(mail?.startTimeUnixNano).toBe(mail?.endTimeUnixNano);
  for (const { traceId, spanId } of spans) {
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
  }
});

test("the end of a rollout joins the trace of its roll, also from another worker", async () => {
  const [first, second] = [startExporter(), startExporter()];
  const roll = rollOf("api");
  first.exporter.rolled(roll);
  const { cluster, clusterName, workload } = roll;
  const endedAtMs = rolledAtMs + 60_000;
  const ended = { cluster, clusterName, workload, rolledAtMs, endedAtMs };
  second.exporter.ended({ ...ended, result: "failed", reason: "ProgressDeadlineExceeded" });
  const root = (await first.sent()).find(({ name }) => name === "roll");
  expect(await second.sent()).toMatchObject([
    {
      name: "rollout",
      traceId: root?.traceId,
      parentSpanId: root?.spanId,
      status: { code: 2, message: "ProgressDeadlineExceeded" },
    },
  ]);
});

test("a change that rolls many workloads is sent once, and each roll links to it", async () => {
  const { exporter, sent } = startExporter();
  for (const name of ["api", "web", "batch"]) exporter.rolled(rollOf(name));
  const spans = await sent();
  const named = (name: string) => spans.filter((span) => span.name === name);
  expect([named("change").length, named("roll").length]).toEqual([2, 3]);
  expect(new Set(named("roll").map(({ traceId }) => traceId)).size).toBe(3);
  expect(new Set(named("roll").map(({ links }) => JSON.stringify(links))).size).toBe(1);
});

test("what a collector does not take in time is dropped, in batches of bounded size", async () => {
  const { exporter, posts, sent } = startExporter();
  for (let at = 0; at < 2000; at += 1) exporter.rolled(rollOf(`api-${at}`));
  await sent();
  await sent();
  await sent();
  await sent();
  expect(posts.map((spans) => spans.length)).toEqual([512, 512, 512, 512]);
});

test("a collector that fails is told of once, and so is its return", async () => {
  const { exporter, log, sent, state } = startExporter();
  state.fault = new Fault("notify.unavailable", "the receiver answered 503");
  for (const name of ["api", "web"]) {
    exporter.rolled(rollOf(name));
    await sent();
  }
  expect(log.messages("warn")).toEqual(["spans are lost; workloads are rolled all the same"]);
  state.fault = undefined;
  exporter.rolled(rollOf("batch"));
  // The changes were lost with the earlier rolls.
  const names = (await sent()).map(({ name }) => name);
  expect(names).toEqual(["change", "change", "roll", "due", "patch"]);
  expect(log.messages("info")).toEqual(["spans are taken again"]);
});

test("what is dropped since there is no room is told once", async () => {
  const { exporter, log } = startExporter();
  for (let at = 0; at < 2000; at += 1) exporter.rolled(rollOf(`api-${at}`));
  expect(log.messages("warn")).toEqual(["spans are dropped: the collector is too slow"]);
});

test("an exporter that stops sends what waits at once, and takes no more", async () => {
  const { exporter, posts } = startExporter();
  exporter.rolled(rollOf("api"));
  await exporter.stop(2000);
  exporter.rolled(rollOf("web"));
  expect(posts.map((spans) => spans.length)).toEqual([5]);
});
