import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { HistoryRecord } from "../../history/history.ts";
import { openAfter } from "./open-rolls.ts";

/** The activity in one stretch of time. */
export interface ActivitySlot {
  readonly fromMs: number;
  /** Rolls that were written. */
  readonly rolled: number;
  /** Rollouts that failed or stalled, and rolls whose write failed. */
  readonly failed: number;
  /** The median time from the write of a source to its roll, of the rolls of this slot; undefined: no write has a known time. */
  readonly medianMs: number | undefined;
  readonly slowestMs: number | undefined;
  /** At the end of the slot, how long the oldest open hold or roll had been open; undefined: none was open. */
  readonly oldestMs: number | undefined;
}

/** How many rolls a fleet had, how quick and how late they were, slot by slot. */
export interface FleetActivity {
  readonly slotMs: number;
  /** Without gaps, oldest first; the last slot has not ended. */
  readonly slots: readonly ActivitySlot[];
}

/** The most slots that can be told apart on a small plot. */
const slotsMax = 60;
const minuteMs = 60_000;
/** Lengths of slots that fit a clock. */
const slotLengthsMs = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720].map((minutes) => minutes * minuteMs);
/** Longer slots are whole days. */
const longSlotMs = 1440 * minuteMs;

/**
 * Sums up records, in the order of their times, from one time to another. Holds and rolls from before the first record are not known: an
 * older hold counts only when it is decided again.
 */
export function fleetActivity(
  records: Iterable<HistoryRecord>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): FleetActivity {
  const slotMs = slotLengthOf(toMs - fromMs);
  const firstMs = Math.floor(fromMs / slotMs) * slotMs;
  const counts = Array.from({ length: Math.floor((toMs - firstMs) / slotMs) + 1 }, () => new SlotCount());
  const written = new Map<string, number>();
  const open = new Map<string, number>();
  let at = 0;
  const endSlotsBefore = (ms: number) => {
    for (; at < counts.length - 1 && firstMs + (at + 1) * slotMs <= ms; at += 1)
      counts[at]?.end(open, firstMs + (at + 1) * slotMs);
  };
  for (const record of records) {
    if (record.type === "operator") continue;
    const timeMs = Date.parse(record.time);
    endSlotsBefore(timeMs);
    if (record.type === "change") {
      if (record.actor !== undefined) written.set(record.change, Date.parse(record.actor.time));
      continue;
    }
    counts[at]?.add(record, timeMs, written);
    openAfter(open, `${record.cluster?.id}|${workloadKey(record.workload)}`, record);
  }
  endSlotsBefore(toMs);
  counts[at]?.end(open, toMs);
  return { slotMs, slots: counts.map((count, index) => count.slot(firstMs + index * slotMs)) };
}

/** The shortest length with few enough slots. */
function slotLengthOf(spanMs: number): number {
  // The end of the time span is determined a moment after the start.
  const fits = (ms: number) => spanMs / ms < slotsMax + 1;
  return slotLengthsMs.find(fits) ?? Math.max(1, Math.ceil(spanMs / longSlotMs / slotsMax)) * longSlotMs;
}

type RecordOfWorkload = Exclude<HistoryRecord, { readonly type: "operator" | "change" }>;

/** The counts of a slot so far. */
class SlotCount {
  #rolled = 0;
  #failed = 0;
  readonly #latencies: number[] = [];
  #oldestMs: number | undefined;

  add(record: RecordOfWorkload, timeMs: number, written: ReadonlyMap<string, number>): void {
    if (record.type === "action" && record.action === "rolled") {
      this.#rolled += 1;
      const writes = record.sources.flatMap(({ change = "" }) => written.get(change) ?? []);
      // The API server's times are in whole seconds.
      if (writes.length > 0) this.#latencies.push(Math.max(0, timeMs - Math.min(...writes)));
    } else if (isFailure(record)) this.#failed += 1;
  }

  end(open: ReadonlyMap<string, number>, endMs: number): void {
    const firstMs = open.values().reduce((first, one) => Math.min(first, one), Number.POSITIVE_INFINITY);
    this.#oldestMs = open.size === 0 ? undefined : Math.max(0, endMs - firstMs);
  }

  slot(fromMs: number): ActivitySlot {
    const sorted = this.#latencies.toSorted((a, b) => a - b);
    return {
      fromMs,
      rolled: this.#rolled,
      failed: this.#failed,
      medianMs: sorted[Math.floor((sorted.length - 1) / 2)],
      slowestMs: sorted.at(-1),
      oldestMs: this.#oldestMs,
    };
  }
}

function isFailure(record: RecordOfWorkload): boolean {
  if (record.type === "outcome") return record.result !== "healthy";
  return record.type === "action" && record.action === "failed";
}
