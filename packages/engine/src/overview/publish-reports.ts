import { asFault } from "@fleet-reloader/domain/fault";
import { atMost } from "../async/at-most.ts";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Log } from "../ports/log.ts";
import type { ClusterReport, ClusterReportStore } from "../ports/ownership.ts";
import type { ClusterId } from "../ports/request.ts";

export interface PublishReportsOptions {
  readonly store: ClusterReportStore;
  /** The reports of the clusters that are watched now. */
  readonly reports: () => ReadonlyMap<ClusterId, ClusterReport>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often the reports are compared with what was written. */
const compareEveryMs = 1000;
/** Each cluster is written no more often than this: a stream that keeps failing has another reason each time. */
const writeEveryMs = 15_000;
/** A third of the time after which reports expire. */
const renewReportsEveryMs = 20_000;
/** The longest wait for a Redis that is away: reports expire anyway. */
const clearMs = 1000;

/** First lists take moments: a new cluster is written when they are complete, or after this time at the latest. */
const firstListsMs = 10_000;

interface WrittenReport {
  /** Undefined: nothing is written yet. */
  readonly text: string | undefined;
  /** When it was written; before that, when the cluster was first seen. */
  readonly atMs: number;
}

/** Publishes reports that change until the signal is aborted, then removes them. All clusters share one command; without changes there is none. */
export async function publishReports(options: PublishReportsOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, store } = options;
  const written = new Map<ClusterId, WrittenReport>();
  let renewAtMs = clock.monotonic() + renewReportsEveryMs;
  let isBegun = false;
  while (!signal.aborted) {
    try {
      // Reports left by a killed process of this name would be renewed together with ours.
      if (!isBegun) await unlessAborted(store.clear(), signal, "Redis");
      isBegun = true;
      await unlessAborted(writeChanges(written, options), signal, "Redis");
      if (written.size > 0 && clock.monotonic() >= renewAtMs) {
        // Reports that Redis has lost are written again with the next comparison.
        if (!(await unlessAborted(store.renew(), signal, "Redis"))) written.clear();
        renewAtMs = clock.monotonic() + renewReportsEveryMs;
      }
    } catch (error) {
      if (!signal.aborted)
        log.debug({ err: asFault(error).message }, "the reports of clusters could not be published");
    }
    await clock.sleep(compareEveryMs, signal).catch(() => undefined);
  }
  if (written.size > 0)
    await atMost(
      clearMs,
      clock,
      store.clear().catch(() => undefined),
    );
}

async function writeChanges(
  written: Map<ClusterId, WrittenReport>,
  { clock, reports, store }: PublishReportsOptions,
): Promise<void> {
  const atMs = clock.monotonic();
  const current = reports();
  const changed = changedReports(written, current, atMs);
  const removed = [...written.keys()].filter((cluster) => !current.has(cluster));
  if (changed.size === 0 && removed.length === 0) return;
  const hadSome = [...written.values()].some(({ text }) => text !== undefined);
  const wasThere = await store.write(changed, removed);
  for (const [cluster, text] of changed) written.set(cluster, { text, atMs });
  for (const cluster of removed) written.delete(cluster);
  // Redis has lost the other reports: the next comparison writes all of them again.
  if (hadSome && !wasThere) written.clear();
}

/** The reports, as texts, that differ from the written ones and have waited long enough. A new one begins to wait. */
function changedReports(
  written: Map<ClusterId, WrittenReport>,
  current: ReadonlyMap<ClusterId, ClusterReport>,
  atMs: number,
): ReadonlyMap<ClusterId, string> {
  const changed = new Map<ClusterId, string>();
  for (const [cluster, report] of current) {
    const before = written.get(cluster) ?? { text: undefined, atMs };
    written.set(cluster, before);
    const text = JSON.stringify(report);
    const waitMs = before.text !== undefined ? writeEveryMs : isListing(report) ? firstListsMs : 0;
    if (before.text !== text && atMs - before.atMs >= waitMs) changed.set(cluster, text);
  }
  return changed;
}

function isListing({ status }: ClusterReport): boolean {
  return status === undefined || status.state === "Syncing";
}
