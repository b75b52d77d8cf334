import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "../async/clock.ts";
import type { AuditedWrites } from "../hints/hint-store.ts";
import type { Log } from "../ports/log.ts";
import type { ClusterId } from "../ports/request.ts";
import { usersOfChange } from "./attributed-history.ts";
import type { ChangeId, ChangeRecord, History, HistoryRecord } from "./history.ts";

/** The start of a reading: a time in milliseconds since the epoch, or the end of a line. */
export type HistoryStart = { readonly ms: number } | { readonly afterId: string };

export interface LateUsersOptions {
  readonly history: History;
  /** The records of the history, oldest first. */
  readonly read: (
    since: HistoryStart,
    signal: AbortSignal,
  ) => AsyncIterable<{ readonly id: string; readonly record: HistoryRecord }>;
  readonly writes: Pick<AuditedWrites, "candidates">;
  /** Whether this process looks up the users of changes of a cluster now. The clusters of a process change. */
  readonly isAsked: (cluster: ClusterId) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

const roundMs = 5000;
/** The ages of a write at which its users are looked up. Logs of clouds come after minutes; an event is kept for an hour. */
const askedAtMs = [5000, 30_000, 120_000, 480_000, 1_800_000, 3_300_000];
/** Older writes are not looked up. */
const ageMaxMs = 3_600_000;
/** Some 2 MiB, and as much again for other processes. Beyond that, the oldest stay as they are. */
const waitingChangesMax = 2000;

interface WaitingChange {
  readonly record: ChangeRecord;
  /** How many users a record of the change names. */
  readonly named: number;
  /** How many times its users were looked up. */
  readonly asked: number;
}

/**
 * Adds the users of a change whose audit event came after the record of the change. It writes a further record under the id of the
 * change. It continues when one user is known: another one may have written in the same second, and then both are named. Nothing waits
 * for it, and a change without a result stays as it was recorded.
 */
export class LateUsers {
  readonly #options: LateUsersOptions;
  /** Waiting changes of clusters that this process looks up. */
  readonly #ours = new Map<ChangeId, WaitingChange>();
  /** Waiting changes of other clusters, which may become ours. They are kept apart: however many they are, they displace none of ours. */
  readonly #others = new Map<ChangeId, WaitingChange>();
  #readTo: string | undefined;

  constructor(options: LateUsersOptions) {
    this.#options = options;
  }

  /** Resolves when the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    for (;;) {
      await clock.sleep(roundMs, signal).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.#readOn(signal);
        await this.#ask(signal);
      } catch (error) {
        log.debug({ err: asFault(error).message }, "who made changes could not be looked up");
      }
    }
  }

  async #readOn(signal: AbortSignal): Promise<void> {
    const { clock, read } = this.#options;
    const since = this.#readTo === undefined ? { ms: clock.now() - ageMaxMs } : { afterId: this.#readTo };
    for await (const { id, record } of read(since, signal)) {
      this.#readTo = id;
      if (record.type === "change") this.#take(record);
    }
  }

  #take(record: ChangeRecord): void {
    const { actor, change } = record;
    if (actor === undefined || record.cluster === undefined) return;
    const before = this.#ours.get(change) ?? this.#others.get(change);
    const named = Math.max(before?.named ?? 0, actor.users?.length ?? 0);
    this.#wait(change, { record, named, asked: before?.asked ?? 0 });
  }

  #wait(change: ChangeId, waiting: WaitingChange): void {
    const [to, from] = this.#isOurs(waiting) ? [this.#ours, this.#others] : [this.#others, this.#ours];
    from.delete(change);
    to.set(change, waiting);
    const [oldest] = to.size > waitingChangesMax ? to.keys() : [];
    if (oldest !== undefined) to.delete(oldest);
  }

  #forget(change: ChangeId): void {
    this.#ours.delete(change);
    this.#others.delete(change);
  }

  #isOurs({ record }: WaitingChange): boolean {
    return record.cluster !== undefined && this.#options.isAsked(record.cluster.id);
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { clock, history, writes } = this.#options;
    for (const [change, waiting] of [...this.#ours, ...this.#others]) {
      const { actor, ...record } = waiting.record;
      if (actor === undefined) continue;
      const ageMs = clock.now() - Date.parse(actor.time);
      if (ageMs > ageMaxMs) {
        this.#forget(change);
        continue;
      }
      const asked = askedAtMs.filter((atMs) => atMs <= ageMs).length;
      if (asked <= waiting.asked || !this.#isOurs(waiting)) continue;
      const users = await usersOfChange(waiting.record, writes);
      if (signal.aborted) return;
      const named = Math.max(users.length, waiting.named);
      if (asked === askedAtMs.length) this.#forget(change);
      else this.#wait(change, { record: waiting.record, named, asked });
      if (users.length <= waiting.named) continue;
      const time = new Date(clock.now()).toISOString();
      history.append([{ ...record, time, actor: { ...actor, users } }]);
    }
  }
}
