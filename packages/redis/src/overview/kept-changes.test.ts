import type { HistoryRecord } from "@fleet-reloader/engine/history/history";
import { foldChanges } from "@fleet-reloader/engine/overview/changes/change-folds";
import type { FoldedChanges } from "@fleet-reloader/engine/overview/changes/change-summary";
import fc from "fast-check";
import { expect, test } from "vitest";
import { NewestLines } from "./newest-lines.ts";
import type { PlacedRecord } from "./placed-record.ts";

/** Each cluster writes into one stream. */
const shards = 3;
/** The first two are contents of one source. */
const contents = ["a1", "a2", "b1"] as const;
const kinds = ["change", "rolled", "failed", "healthy", "held", "no", "discarded", "operator"] as const;

interface Step {
  readonly kind: (typeof kinds)[number];
  readonly cluster: number;
  readonly contents: readonly string[];
  readonly workload: number;
  /** Milliseconds after the previous record. */
  readonly afterMs: number;
  /** Whether the change was recorded without an id across clusters. */
  readonly isAlone: boolean;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(...kinds),
    cluster: fc.nat(shards),
    contents: fc.uniqueArray(fc.constantFrom(...contents), { minLength: 1 }),
    workload: fc.nat(1),
    afterMs: fc.nat(2),
    isAlone: fc.boolean(),
  }),
  { maxLength: 40 },
);

function recordOf(step: Step, at: number): HistoryRecord {
  const { cluster: number, isAlone, kind } = step;
  const cluster = { id: `uid-${number}`, name: `cluster-${number}` };
  // Some records have the same time.
  const entry = { v: 1, time: new Date(Math.floor(at / 3) * 1000).toISOString(), cluster } as const;
  const changeOf = (content: string) => `${cluster.id}/${content}`;
  const source = ([name = ""]: string) => ({ kind: "Secret", namespace: "shop", name }) as const;
  const sources = step.contents.map((content) => ({ ...source(content), change: changeOf(content) }));
  const workload = { kind: "Deployment", namespace: "shop", name: `app-${step.workload}` };
  const [content = ""] = step.contents;
  switch (kind) {
    case "change": {
      const id = { change: changeOf(content), ...(isAlone ? {} : { fleetChange: `f1-${content}` }) };
      const actor = { manager: `manager-${at % 2}`, operation: "Update", time: entry.time };
      return { ...entry, type: kind, ...id, source: source(content), resourceVersion: `${at}`, actor };
    }
    case "operator":
      return { ...entry, type: kind, action: "retry", by: "ann", target: "fleet" };
    case "held":
    case "no":
      return { ...entry, type: "decision", workload, verdict: kind, reason: `Reason${at}`, sources };
    case "discarded":
    case "rolled":
      return { ...entry, type: "action", workload, action: kind, by: "ann", why: `${at}`, sources };
    default:
      return {
        ...{ ...entry, type: "outcome", workload, result: kind, reason: "Available", seconds: at, sources },
      };
  }
}

function placedOf(all: readonly Step[]): readonly PlacedRecord[] {
  let ms = 1;
  return all.map((step, at) => {
    ms += step.afterMs;
    return { ms, number: at, shard: step.cluster % shards, record: recordOf(step, at), bytes: 1 };
  });
}

function expectSame(kept: FoldedChanges, anew: FoldedChanges): void {
  expect(kept.summaries()).toEqual(anew.summaries());
  expect(kept.unsuccessful()).toEqual(anew.unsuccessful());
  const ids = [...contents.map((one) => `f1-${one}`), ...contents.map((one) => `uid-1/${one}`)];
  for (const id of ids) expect(kept.details(id)).toEqual(anew.details(id));
}

test("changes that are kept are those of all records from any time on", () => {
  const asked = fc.record({ part: fc.integer({ min: 1, max: 9 }), max: fc.integer({ min: 3, max: 50 }) });
  fc.assert(
    fc.property(steps, asked, fc.nat(shards), (all, { max, part }, lateShard) => {
      const records = placedOf(all);
      const lines = new NewestLines({ records: max, bytes: max }, []);
      for (let at = 0; at < records.length; at += part) {
        // One stream is read a part later than the others.
        const isLate = ({ shard }: PlacedRecord) => shard === lateShard;
        lines.add([
          ...records.slice(Math.max(0, at - part), at).filter(isLate),
          ...records.slice(at, at + part).filter((one) => !isLate(one)),
        ]);
        for (let ms = (lines.from?.ms ?? -1) + 1; ms <= at + part; ms += 1)
          expectSame(lines.changesSince(ms), foldChanges(lines.since(ms)));
      }
    }),
    { numRuns: 1000 },
  );
});

test("a hold ends with a roll for newer content, also where that is not known", () => {
  const step = { cluster: 0, contents: ["a1"], workload: 0, afterMs: 1, isAlone: false };
  const newer = { ...step, contents: ["a2"] };
  const records = placedOf([
    { ...newer, kind: "change" },
    { ...step, kind: "change" },
    { ...step, kind: "held" },
    { ...newer, kind: "rolled" },
    { ...newer, kind: "healthy" },
    { ...step, kind: "change", cluster: 1 },
    { ...step, kind: "held", cluster: 1 },
    { ...newer, kind: "rolled", cluster: 1 },
  ]);
  const lines = new NewestLines({ records: 10, bytes: 10 }, records);
  for (const { ms } of records) expectSame(lines.changesSince(ms), foldChanges(lines.since(ms)));
  const sinceThird = lines.changesSince(records[2]?.ms ?? 0).summaries();
  expect(sinceThird).toMatchObject([{ workloads: { held: 0, healthy: 0, rolling: 1 } }]);
  const sinceSecond = lines.changesSince(records[1]?.ms ?? 0).summaries();
  expect(sinceSecond).toMatchObject([{ workloads: { held: 0, healthy: 1, rolling: 1 } }]);
});

test("what streams have no more counts for no change any more", () => {
  const step = { cluster: 0, contents: ["a1"], workload: 0, afterMs: 1, isAlone: false };
  const kind = (one: Step["kind"], cluster = 0): Step => ({ ...step, kind: one, cluster });
  const lines = new NewestLines(
    { records: 10, bytes: 10 },
    placedOf([kind("change"), kind("change", 1), kind("rolled"), kind("held", 1)]),
  );
  const workloads = () =>
    lines
      .changesSince(0)
      .summaries()
      .map((one) => one.workloads);
  expect(workloads()).toMatchObject([{ held: 1, rolling: 1 }]);
  lines.trim(0, { ms: 4, number: 0 });
  expect(workloads()).toMatchObject([{ held: 1, rolling: 0 }]);
  lines.forget(1);
  expect(workloads()).toEqual([]);
});
