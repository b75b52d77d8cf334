import { asFault } from "@fleet-reloader/domain/fault";
import type { AuditedUser } from "@fleet-reloader/domain/hint/audited-write";
import { atMost } from "../async/at-most.ts";
import type { Clock } from "../async/clock.ts";
import { RecentMap } from "../async/recent-map.ts";
import type { AuditedWrites } from "../hints/hint-store.ts";
import type { Log } from "../ports/log.ts";
import type { ChangeId, ChangeRecord, History, HistoryRecord } from "./history.ts";

export interface AttributedHistoryOptions {
  readonly history: History;
  readonly writes: Pick<AuditedWrites, "candidates">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longer than Redis needs, and shorter than a reader waits for a record. */
const lookupMs = 1000;
/** One lookup serves all workloads of a change that are rolled within this time. */
const lookupSharedMs = 1000;
const lookupsSharedMax = 1000;
/** The most appends that wait for a lookup. Beyond that, changes are recorded without their users, and nothing is lost. */
const waitingAppendsMax = 1000;

/** Until then another event of the same second may come: API servers send every second, and times of writes are in whole seconds. */
const settledAfterMs = 3000;

/**
 * Adds to each change the users who may have made it, if an audit event reported them. Records stay in the order of the calls. A change
 * is recorded without users if its event has not come yet, or if more events of its second may come. `LateUsers` adds those users later.
 */
export class AttributedHistory implements History {
  readonly #options: AttributedHistoryOptions;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;
  readonly #lookups = new RecentMap<ChangeId, UserLookup>(lookupsSharedMax);

  constructor(options: AttributedHistoryOptions) {
    this.#options = options;
  }

  append(records: readonly HistoryRecord[]): void {
    const { history } = this.#options;
    const isAsked = records.some((record) => this.#isSettled(record)) && this.#waiting < waitingAppendsMax;
    if (!isAsked && this.#waiting === 0) {
      history.append(records);
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last.then(async () => {
      history.append(isAsked ? await this.#attributed(records) : records);
      this.#waiting -= 1;
    });
  }

  /** Resolves when all records are appended. */
  get settled(): Promise<void> {
    return this.#last;
  }

  async #attributed(records: readonly HistoryRecord[]): Promise<readonly HistoryRecord[]> {
    return await Promise.all(
      records.map(async (record) =>
        this.#isSettled(record) ? withUsers(record, await this.#candidates(record)) : record,
      ),
    );
  }

  #isSettled(record: HistoryRecord): record is ChangeRecord {
    if (!isAttributable(record)) return false;
    return this.#options.clock.now() - Date.parse(record.actor?.time ?? "") >= settledAfterMs;
  }

  #candidates(record: ChangeRecord): Promise<readonly AuditedUser[]> {
    const nowMs = this.#options.clock.monotonic();
    const shared = this.#lookups.get(record.change);
    if (shared !== undefined && nowMs - shared.atMs < lookupSharedMs) return shared.users;
    const users = this.#inTime(record);
    this.#lookups.set(record.change, { atMs: nowMs, users });
    return users;
  }

  /** No users when the lookup fails or is late. */
  async #inTime(record: ChangeRecord): Promise<readonly AuditedUser[]> {
    const { clock, log } = this.#options;
    let users: readonly AuditedUser[] = [];
    const lookup = usersOfChange(record, this.#options.writes).then((found) => {
      users = found;
    });
    try {
      await atMost(lookupMs, clock, lookup);
    } catch (error) {
      log.debug({ err: asFault(error).message }, "who made a change could not be looked up");
    }
    return users;
  }
}

/** The users who may have made a change, as far as audit events have come. */
export async function usersOfChange(
  { actor, cluster, source }: ChangeRecord,
  writes: Pick<AuditedWrites, "candidates">,
): Promise<readonly AuditedUser[]> {
  if (actor === undefined || cluster === undefined) return [];
  const atSeconds = Date.parse(actor.time) / 1000;
  return await writes.candidates(cluster.id, { source, manager: actor.manager, atSeconds });
}

interface UserLookup {
  /** Monotonic. */
  readonly atMs: number;
  readonly users: Promise<readonly AuditedUser[]>;
}

function isAttributable(record: HistoryRecord): record is ChangeRecord {
  if (record.type !== "change" || record.cluster === undefined) return false;
  return record.actor !== undefined && record.actor.users === undefined;
}

function withUsers(record: ChangeRecord, users: readonly AuditedUser[]): HistoryRecord {
  if (record.actor === undefined || users.length === 0) return record;
  return { ...record, actor: { ...record.actor, users } };
}
