import { Fault } from "@fleet-reloader/domain/fault";
import type { Fact, RolledFact } from "@fleet-reloader/engine/history/fact";
import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { createRecorder } from "@fleet-reloader/engine/history/recorder";
import type { Reporter } from "@fleet-reloader/engine/ports/reporter";
import { expect, test } from "vitest";
import { CollectedLog } from "../../memory/collected-log.ts";
import { CountingMeter } from "../../memory/counting-meter.ts";
import { ManualClock } from "../../memory/manual-clock.ts";

const workload = { kind: "Deployment", namespace: "ns", name: "api" };
const about = { request: { cluster: "c1", workload }, cluster: { name: "one" } };
const source = { kind: "ConfigMap", namespace: "ns", name: "app" } as const;
const rolled: RolledFact = {
  type: "rolled",
  uid: "u",
  strategy: "annotations",
  changed: [{ source, mode: "auto", mark: "v1:k1:secret-mark", reason: "SourceChanged" }],
  observedSources: [],
};

/** All that a recorder hands on, in order. */
function recording() {
  const clock = new ManualClock();
  const log = new CollectedLog();
  const meter = new CountingMeter();
  const handedOn: { readonly to: string; readonly what: object }[] = [];
  const report = (to: keyof Reporter) => (what: object) => void handedOn.push({ to, what });
  const reporter: Reporter = {
    rolled: report("rolled"),
    failed: report("failed"),
    ended: report("ended"),
    unreadable: report("unreadable"),
    held: report("held"),
  };
  const history = {
    append: (records: readonly HistoryRecord[]) => {
      for (const record of records) handedOn.push({ to: "history", what: record });
    },
  };
  const followUps = { rolled: (what: object) => void handedOn.push({ to: "follow", what }) };
  return { clock, log, meter, handedOn, reporter, history, followUps };
}

test("a roll is counted, logged, reported, kept as history and followed, in this order", () => {
  const world = recording();
  createRecorder(world).record(about, [rolled]);
  expect(world.meter.sentences.join()).toContain("SourceChanged");
  expect(world.log.messages("info")).toEqual(["workload rolled"]);
  expect(world.handedOn.map(({ to }) => to)).toEqual(["rolled", "history", "history", "follow"]);
});

test("a roll is measured by its stages when the queue says when it was seen and taken", () => {
  const { clock, log, meter } = recording();
  const recorder = createRecorder({ clock, log, meter });
  recorder.record(about, [rolled]);
  expect(meter.count("stage one taken")).toBe(0);
  const times = { seenAtMs: clock.now() - 2000, takenAtMs: clock.now() - 50 };
  recorder.record({ ...about, delivery: { times } }, [rolled]);
  expect([meter.count("stage one taken"), meter.count("stage one patched")]).toEqual([1, 1]);
});

test("the end of a rollout names its roll to the tracer by the time of its write", () => {
  const { clock, log, meter } = recording();
  const traced: object[] = [];
  const tracer = {
    rolled: (roll: object) => void traced.push(roll),
    ended: (rollout: object) => void traced.push(rollout),
  };
  const recorder = createRecorder({ clock, log, meter, tracer });
  const rolledAtMs = clock.now();
  const times = { seenAtMs: rolledAtMs - 2000, takenAtMs: rolledAtMs - 50 };
  recorder.record({ ...about, delivery: { times } }, [rolled]);
  const ended = { uid: "u", result: "healthy", reason: "Available", message: "", sources: [] } as const;
  recorder.record(about, [{ type: "rollout-ended", rolledAtMs, isRecovery: false, seconds: 7.5, ...ended }]);
  const roll = { cluster: "c1", clusterName: "one", workload, rolledAtMs };
  expect(traced).toMatchObject([
    { ...roll, ...times, changes: [{ source: { name: "app", reason: "SourceChanged" } }] },
    { ...roll, endedAtMs: rolledAtMs + 7500, result: "healthy", reason: "Available" },
  ]);
  expect(JSON.stringify(traced)).not.toContain("secret-mark");
});

test("what is recorded of a roll holds no mark", () => {
  const world = recording();
  createRecorder(world).record(about, [rolled]);
  expect(`${world.log.text}${JSON.stringify(world.handedOn)}`).not.toContain("secret-mark");
});

test("a fault that the next attempt is likely to mend is only logged", () => {
  const world = recording();
  const fault = new Fault("kube.unreachable", "no answer");
  createRecorder(world).record(about, [{ type: "failed", fault, attemptsMade: 0 }]);
  expect(world.log.text).toContain("kube.unreachable");
  expect(world.handedOn).toEqual([]);
});

test("a roll that fails is kept in the history with the sources that it was due for", () => {
  const world = recording();
  const fault = new Fault("kube.rejected", "a policy says no");
  const { changed, observedSources } = rolled;
  const failed: Fact = { type: "failed", fault, attemptsMade: 0, roll: { changed, observedSources } };
  createRecorder(world).record(about, [failed]);
  expect(world.handedOn).toMatchObject([
    { to: "failed", what: { code: "kube.rejected" } },
    { to: "history", what: { action: "failed", sources: [{ name: "app", reason: "SourceChanged" }] } },
  ]);
  expect(JSON.stringify(world.handedOn)).not.toContain("secret-mark");
});

test("facts are counted and logged where nobody outside listens", () => {
  const { clock, log, meter } = recording();
  createRecorder({ clock, log, meter }).record(about, [rolled, { type: "resumed" }]);
  expect(log.messages("info")).toEqual(["workload rolled"]);
});

test("a hold that goes on is counted, and nobody is notified again", () => {
  const world = recording();
  const held = { type: "held", uid: "u", reason: "BudgetRate", why: "no room" } as const;
  const rest = { untilMs: undefined, changed: [], observedSources: [] };
  const recorder = createRecorder(world);
  recorder.record(about, [{ ...held, ...rest, news: "begins" }]);
  const first = world.handedOn.length;
  recorder.record(about, [{ ...held, ...rest, news: undefined }]);
  expect(world.log.messages("info")).toEqual(["roll held"]);
  expect(first).toBeGreaterThan(0);
  expect(world.handedOn.length).toBe(first);
});
