import { asFault } from "@fleet-reloader/domain/fault";
import { atMost } from "../async/at-most.ts";
import type { Clock } from "../async/clock.ts";
import { unlessAborted } from "../async/unless-aborted.ts";
import type { Log } from "../ports/log.ts";
import type { ClusterReport, ClusterReportStore } from "../ports/ownership.ts";
import type { ClusterId } from "../ports/request.ts";

export interface PublishReportsOptions {
  readonly store: ClusterReportStore;
  /** Of the clusters that are watched now. */
  readonly reports: () => ReadonlyMap<ClusterId, ClusterReport>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often the reports are compared with what was written. */
const compareEveryMs = 1000;
/** Each cluster is written no more often than this: a stream that fails again and again has another reason each time. */
const writeEveryMs = 15_000;
/** A third of the time for which reports stay. */
const renewReportsEveryMs = 20_000;
/** Nobody waits longer for a Redis that is away: reports expire. */
const clearMs = 1000;

/** First lists take moments: a cluster that begins is written when they are over, or are still not after this. */
const firstListsMs = 10_000;

interface WrittenReport {
  /** Undefined: nothing yet. */
  readonly text: string | undefined;
  /** When it was written; before that, when the cluster was seen first. */
  readonly atMs: number;
}

/** Publishes what changes of the reports until the signal is aborted; then removes them. One command for all clusters, and none where nothing changes. */
export async function publishReports(options: PublishReportsOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, store } = options;
  const written = new Map<ClusterId, WrittenReport>();
  let renewAtMs = clock.monotonic() + renewReportsEveryMs;
  let isBegun = false;
  while (!signal.aborted) {
    try {
      // What a process of this name left that was killed would be renewed with ours.
      if (!isBegun) await unlessAborted(store.clear(), signal, "Redis");
      isBegun = true;
      await unlessAborted(writeChanges(written, options), signal, "Redis");
      if (written.size > 0 && clock.monotonic() >= renewAtMs) {
        // What Redis has lost is written again with the next comparison.
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
  // Redis has lost the others: the next comparison writes all again.
  if (hadSome && !wasThere) written.clear();
}

/** The reports that differ from the written ones and have waited long enough, as texts. One that is new begins to wait. */
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
