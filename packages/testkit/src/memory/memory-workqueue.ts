import { delayFor } from "@fleet-reloader/domain/debounce";
import { asFault } from "@fleet-reloader/domain/fault";
import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { HeldRequest, HeldRequests } from "@fleet-reloader/engine/admission/held-requests";
import { type Work, workOf } from "@fleet-reloader/engine/admission/work";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Hold, Request, Result } from "@fleet-reloader/engine/ports/request";
import type {
  Addition,
  Delivery,
  Handler,
  Purpose,
  QueueView,
  WaitingRequest,
  Workqueue,
} from "@fleet-reloader/engine/ports/workqueue";

interface Entry {
  readonly request: Request;
  readonly purpose: Purpose;
  readonly madeMs: number;
  attemptsMade: number;
  /** Its worker was lost, or its run aborted. */
  isLeft: boolean;
  dueMs: number;
  /** When it was handed out last. */
  takenMs: number | undefined;
  /** When the first change came after that. */
  firstChangeMs: number | undefined;
  /** Who handles it now. */
  run: object | undefined;
  /** The last addition made while it runs. */
  next: { readonly purpose: Purpose; readonly delayMs: number } | undefined;
  hold: { readonly hold: Hold; readonly againAtMs: number; readonly dueMs: number } | undefined;
}

/** One delivery of a request to a worker. */
export interface Taken {
  readonly request: Request;
  readonly delivery: Delivery;
  /** The worker is done; nothing happens when the request has been given to another meanwhile. */
  finish(result: Result): void;
  fail(error: unknown): void;
  /** Its worker was killed or froze: it waits again, for any worker. */
  lose(): void;
}

export interface MemoryWorkqueueOptions {
  readonly clock: Clock;
  /** Wait before the next try, by attempt; 1 s when absent. */
  readonly retryMs?: (attemptsMade: number) => number;
  readonly before?: (call: string) => Promise<void> | void;
}

/** What the real queue promises, kept where a test can look at it and take it away. */
export class MemoryWorkqueue implements Workqueue, HeldRequests, QueueView {
  readonly #options: MemoryWorkqueueOptions;
  readonly #entries = new Map<string, Entry>();
  /** Every addition ever made, for tests of producers. */
  readonly additions: Addition[] = [];

  constructor(options: MemoryWorkqueueOptions) {
    this.#options = options;
  }

  async add(additions: readonly Addition[]): Promise<void> {
    if (additions.length === 0) return;
    await this.#options.before?.("add");
    for (const addition of additions) {
      this.additions.push(addition);
      this.#put(addition);
    }
  }

  async waits(request: Request): Promise<boolean> {
    await this.#options.before?.("waits");
    return this.#entries.has(idOf(request, "change"));
  }

  async waiting(request: Request): Promise<WaitingRequest | undefined> {
    const entry = this.#entries.get(idOf(request, "change"));
    if (entry?.hold === undefined) return entry && {};
    const { hold, againAtMs } = entry.hold;
    return { hold: { ...hold, againAtMs } };
  }

  /** All is gone, as after FLUSHALL. Workers go on with what they have. */
  wipe(): void {
    this.#entries.clear();
  }

  /** What waits of a workload is lost, and nothing else. */
  lose({ cluster, workload }: Request): void {
    const its = `${cluster}|${workloadKey(workload)}`;
    const lost = [...this.#entries.keys()].filter((id) => id === its || id.startsWith(`${its}|`));
    for (const id of lost) this.#entries.delete(id);
  }

  /** Requests that wait or run, by workload. */
  get held(): readonly string[] {
    return [...this.#entries.values()].map((entry) => workloadKey(entry.request.workload)).sort();
  }

  /** When the next waiting request is due, on the monotonic clock. */
  get nextDueMs(): number | undefined {
    const due = [...this.#entries.values()].filter((entry) => entry.run === undefined);
    return due.length === 0 ? undefined : Math.min(...due.map((entry) => entry.dueMs));
  }

  /** What there is for workers to do, now or within the horizon. */
  async work(horizonMs: number): Promise<Work> {
    const now = this.#options.clock.monotonic();
    const entries = [...this.#entries.values()];
    const active = entries.filter(({ run }) => run !== undefined).length;
    const due = entries.filter(({ run, dueMs }) => run === undefined && dueMs < now + horizonMs);
    const held = due.filter(({ hold }) => hold !== undefined);
    return workOf({ waiting: 0, prioritized: 0, active, due: due.length, held: held.length });
  }

  async list(): Promise<readonly HeldRequest[]> {
    return [...this.#entries].flatMap(([id, { request, hold: held }]) =>
      held === undefined ? [] : [{ id, request, ...held.hold, againAtMs: held.againAtMs }],
    );
  }

  async count(): Promise<number> {
    return (await this.list()).length;
  }

  async listDue(afterMs: number, untilMs: number): Promise<readonly HeldRequest[]> {
    return (await this.list()).filter(({ againAtMs }) => againAtMs > afterMs && againAtMs <= untilMs);
  }

  async release(held: readonly HeldRequest[]): Promise<void> {
    for (const { id } of held) {
      const entry = this.#entries.get(id);
      if (entry?.hold === undefined) continue;
      // What a change has moved waits for quiet.
      if (entry.dueMs === entry.hold.dueMs) entry.dueMs = this.#options.clock.monotonic();
      entry.hold = undefined;
    }
  }

  /** Of those that come first the one that has been due longest. */
  take(given?: AbortSignal): Taken | undefined {
    const now = this.#options.clock.monotonic();
    const found = this.#firstDue(now);
    if (found === undefined) return undefined;
    const [id, entry] = found;
    const signal = given ?? new AbortController().signal;
    const run = {};
    entry.run = run;
    entry.hold = undefined;
    entry.takenMs = now;
    entry.firstChangeMs = undefined;
    const { attemptsMade } = entry;
    const isMine = () => this.#entries.get(id) === entry && entry.run === run;
    return {
      request: entry.request,
      delivery: {
        attemptsMade,
        isDoubtful: attemptsMade > 0 || entry.isLeft,
        purpose: entry.purpose,
        signal,
      },
      finish: (result) => {
        if (!isMine()) return;
        if (result.type === "again") this.#wait(entry, result.afterMs, result.hold);
        else this.#end(id, entry);
      },
      fail: (error) => {
        if (isMine()) this.#failed(id, entry, error);
      },
      lose: () => {
        if (!isMine()) return;
        entry.isLeft = true;
        this.#wait(entry, 0);
      },
    };
  }

  #firstDue(now: number): readonly [id: string, entry: Entry] | undefined {
    let first: readonly [string, Entry] | undefined;
    for (const one of this.#entries) {
      const [, entry] = one;
      const isDue = entry.run === undefined && entry.dueMs <= now;
      if (isDue && (first === undefined || isBefore(entry, first[1]))) first = one;
    }
    return first;
  }

  /** Hands every request that is due to the handler, one after another, until none is. */
  async run(handler: Handler): Promise<void> {
    for (let taken = this.take(); taken !== undefined; taken = this.take()) {
      try {
        taken.finish(await handler(taken.request, taken.delivery));
      } catch (error) {
        taken.fail(error);
      }
    }
  }

  #put(addition: Addition): void {
    const { request, purpose } = addition;
    const id = idOf(request, purpose);
    const entry = this.#entries.get(id);
    const delayMs = this.#delay(entry, addition);
    if (entry === undefined) {
      this.#create(id, request, { purpose, delayMs });
    } else if (entry.run !== undefined) {
      entry.next = { purpose, delayMs };
    } else if (purpose !== "adoption" && purpose !== "audit") {
      const now = this.#options.clock.monotonic();
      if (entry.dueMs > now) entry.dueMs = now + delayMs;
      // Only a worker knows whether the change is held too.
      if (purpose === "change") entry.hold = undefined;
    }
  }

  #create(id: string, request: Request, { purpose, delayMs }: { purpose: Purpose; delayMs: number }): void {
    const madeMs = this.#options.clock.monotonic();
    const fresh = { attemptsMade: 0, isLeft: false, run: undefined, next: undefined, hold: undefined };
    const untaken = { takenMs: undefined, firstChangeMs: undefined };
    this.#entries.set(id, { request, purpose, madeMs, dueMs: madeMs + delayMs, ...fresh, ...untaken });
  }

  #delay(entry: Entry | undefined, { quietPeriodMs, maxWaitMs, purpose }: Addition): number {
    if (quietPeriodMs === 0 || purpose !== "change") return quietPeriodMs;
    const now = this.#options.clock.monotonic();
    return delayFor(burstStart(entry, now), now, { quietPeriodMs, maxWaitMs });
  }

  #wait(entry: Entry, ms: number, hold?: Hold): void {
    entry.run = undefined;
    entry.dueMs = this.#options.clock.monotonic() + ms;
    if (hold !== undefined)
      entry.hold = { hold, againAtMs: this.#options.clock.now() + ms, dueMs: entry.dueMs };
  }

  #end(id: string, entry: Entry): void {
    this.#entries.delete(id);
    if (entry.next !== undefined) this.#create(id, entry.request, entry.next);
  }

  #failed(id: string, entry: Entry, error: unknown): void {
    const fault = asFault(error);
    const { queue } = fault.disposition;
    if (queue === "retry") entry.attemptsMade += 1;
    if (fault.class === "aborted") entry.isLeft = true;
    if (queue === "drop") this.#end(id, entry);
    else this.#wait(entry, fault.retryAfterMs ?? this.#options.retryMs?.(entry.attemptsMade) ?? 1000);
  }
}

function idOf({ cluster, workload }: Request, purpose: Purpose): string {
  return `${cluster}|${workloadKey(workload)}${isBeside(purpose) ? `|${purpose}` : ""}`;
}

/** What waits beside the changes of its workload. */
function isBeside(purpose: Purpose): boolean {
  return purpose === "resume" || purpose === "follow" || purpose === "audit";
}

/** By what the real queue ranks by as long as nobody asks for much: adoption gives way to changes, and looks at rollouts to both. */
function rankOf(purpose: Purpose): number {
  if (purpose === "follow" || purpose === "audit") return 2;
  return purpose === "adoption" ? 1 : 0;
}

function isBefore(a: Entry, b: Entry): boolean {
  const byRank = rankOf(a.purpose) - rankOf(b.purpose);
  return byRank < 0 || (byRank === 0 && a.dueMs < b.dueMs);
}

/** When the burst began that a change belongs to which comes now: with the entry that waits, or with the first change after it was put back. */
function burstStart(entry: Entry | undefined, now: number): number {
  if (entry === undefined || entry.run !== undefined) return now;
  if (entry.takenMs === undefined) return entry.madeMs;
  entry.firstChangeMs ??= now;
  return entry.firstChangeMs;
}
