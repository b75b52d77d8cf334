import { type ChangeFold, changeIdOf } from "@fleet-reloader/engine/overview/changes/change-fold";
import {
  ChangeFolds,
  summariesOf,
  unsuccessfulOf,
} from "@fleet-reloader/engine/overview/changes/change-folds";
import type { FoldedChanges } from "@fleet-reloader/engine/overview/changes/change-summary";
import { byShardPlace, type ShardPlace } from "../history/stream-entry.ts";
import type { PlacedRecord } from "./placed-record.ts";

/** The places of the records of the change itself: each cluster writes one. */
interface ChangeSpan {
  readonly fold: ChangeFold;
  readonly first: ShardPlace;
  readonly lastMs: number;
}

/**
 * The changes of successive records, folded once, for queries that begin at any time. A change that began after that time needs no new fold:
 * earlier records say nothing about it, and other changes do not affect it. Only changes with records on both sides of that time are folded
 * again.
 */
export class KeptChanges {
  readonly #folds = new ChangeFolds();
  /** By the id of the change. */
  readonly #spans = new Map<string, ChangeSpan>();

  /** False: the change already has a later record from another stream, so all records have to be folded again in order. */
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

  /** The changes of the records from `ms` on; `records` gives these in their order. */
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
        // A change in one cluster may first be recorded with only its id there, and later with an id across clusters.
        const inCluster = this.#folds.findInCluster(id);
        const isWhole = inCluster !== undefined && (this.#spans.get(inCluster.id)?.first.ms ?? 0) >= ms;
        return (named ?? (isWhole ? inCluster : cut.#folds.findInCluster(id)))?.details;
      },
      unsuccessful: () =>
        unsuccessfulOf(all.toSorted((a, b) => byShardPlace(a.first, b.first)).map(({ fold }) => fold)),
    };
  }

  /** Folds only these changes, from these records. */
  #foldedAnew(ids: ReadonlySet<string>, records: Iterable<PlacedRecord>): KeptChanges {
    const anew = new KeptChanges();
    if (ids.size === 0) return anew;
    for (const one of records) {
      const { record } = one;
      // A wanted change may also be known by its id in a cluster; later records with that id belong to it.
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
