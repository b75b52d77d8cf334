/** What a controller is told to look at: one object. */
export interface WorkItem {
  readonly namespace: string;
  readonly name: string;
}

/**
 * A de-duplicated queue of keys with one worker, never re-entrant: a change made by the worker only
 * adds keys. Errors are the worker's own bugs and surface as uncaught.
 */
export class WorkLoop {
  readonly #work: (item: WorkItem) => void;
  readonly #due = new Map<string, WorkItem>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isScheduled = false;
  #isStopped = false;

  constructor(work: (item: WorkItem) => void) {
    this.#work = work;
  }

  add(item: WorkItem): void {
    if (this.#isStopped) return;
    this.#due.set(`${item.namespace}/${item.name}`, item);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#run());
  }

  addAfter(item: WorkItem, delayMs: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.add(item);
    }, delayMs);
    timer.unref();
    this.#timers.add(timer);
  }

  stop(): void {
    this.#isStopped = true;
    this.#due.clear();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** A slice at a time: 1,000 Deployments at once must not block the server's sockets. */
  #run(): void {
    this.#isScheduled = false;
    const until = performance.now() + SLICE_MS;
    for (const [key, item] of this.#due) {
      if (this.#isStopped) return;
      this.#due.delete(key);
      this.#work(item);
      if (performance.now() > until) break;
    }
    if (this.#due.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#run());
  }
}

const SLICE_MS = 10;
