import { type ChangeFold, changeIdOf } from "@fleet-reloader/engine/overview/changes/change-fold";
import {
  ChangeFolds,
  summariesOf,
  unsuccessfulOf,
} from "@fleet-reloader/engine/overview/changes/change-folds";
import type { FoldedChanges } from "@fleet-reloader/engine/overview/changes/change-summary";
import { byShardPlace, type ShardPlace } from "../history/stream-entry.ts";
import type { PlacedRecord } from "./placed-record.ts";

/** Where the records of a change itself lie: each cluster writes one. */
interface ChangeSpan {
  readonly fold: ChangeFold;
  readonly first: ShardPlace;
  readonly lastMs: number;
}

/**
 * The changes of records that come one after the other, folded once, for questions from any time on. A change that began after that time is what it is
 * from all records: those before it say nothing of it, and it does not matter which other changes are known. Only those that have records on both sides of
 * that time are folded anew.
 */
export class KeptChanges {
  readonly #folds = new ChangeFolds();
  /** By the id of the change. */
  readonly #spans = new Map<string, ChangeSpan>();

  /** False: the change is known from a later record of another stream, so that its records have to be folded in order, anew. */
  add({ ms, number, record, shard }: PlacedRecord): boolean {
    if (record.type === "change") {
      const place = { ms, number, shard };
      const span = this.#spans.get(changeIdOf(record));
      if (span !== undefined && byShardPlace(place, span.first) < 0) return false;
      this.#folds.add(record);
      this.#extend(changeIdOf(record), span, place);
    } else this.#folds.add(record);
    return true;
  }

  /** The changes of the records from a time on, which are given in their order. */
  since(ms: number, records: Iterable<PlacedRecord>): FoldedChanges {
    const whole: ChangeSpan[] = [];
    const cutIds = new Set<string>();
    for (const [id, span] of this.#spans) {
      if (span.first.ms >= ms) whole.push(span);
      else if (span.lastMs >= ms) cutIds.add(id);
    }
    const cut = this.#foldedAnew(cutIds, records);
    const all = [...whole, ...cut.#spansOf(cutIds)];
    return {
      summaries: (asked) =>
        summariesOf(
          all.map(({ fold }) => fold),
          asked,
        ),
      details: (id) => {
        const named = all.find(({ fold }) => fold.id === id)?.fold;
        // A change of one cluster may have been recorded by that id alone before, and with one over clusters since.
        const inCluster = this.#folds.findInCluster(id);
        const isWhole = inCluster !== undefined && (this.#spans.get(inCluster.id)?.first.ms ?? 0) >= ms;
        return (named ?? (isWhole ? inCluster : cut.#folds.findInCluster(id)))?.details;
      },
      unsuccessful: () =>
        unsuccessfulOf(all.toSorted((a, b) => byShardPlace(a.first, b.first)).map(({ fold }) => fold)),
    };
  }

  /** Only these changes, from these records. */
  #foldedAnew(ids: ReadonlySet<string>, records: Iterable<PlacedRecord>): KeptChanges {
    const anew = new KeptChanges();
    if (ids.size === 0) return anew;
    for (const one of records) {
      const { record } = one;
      // One that is known by another id, too, takes what comes after that.
      const isAsked =
        record.type !== "change" ||
        ids.has(changeIdOf(record)) ||
        anew.#folds.find(record.change) !== undefined;
      if (isAsked) anew.add(one);
    }
    return anew;
  }

  #spansOf(ids: Iterable<string>): readonly ChangeSpan[] {
    return [...ids].flatMap((id) => this.#spans.get(id) ?? []);
  }

  #extend(id: string, before: ChangeSpan | undefined, place: ShardPlace): void {
    const fold = before?.fold ?? this.#folds.find(id);
    if (fold === undefined) return;
    const lastMs = Math.max(before?.lastMs ?? 0, place.ms);
    this.#spans.set(id, { fold, first: before?.first ?? place, lastMs });
  }
}
