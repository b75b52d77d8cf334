import { connect } from "node:http2";
import { setTimeout as wait } from "node:timers/promises";
import { callScaler } from "./keda-call.ts";
import type { Product } from "./product.ts";

export interface ScalerOptions {
  /** Origin of the health listener of a process that is always on. */
  readonly origin: string;
  readonly startWorker: () => Product;
  /** Origin of its push scaler. Given: a poll starts no first worker, only a push does. */
  readonly pushOrigin?: string;
  readonly pollMs: number;
  /** No work for this long before the last worker is stopped. */
  readonly cooldownMs: number;
  /** A worker for each so much work; from 1 to `workersMax`. */
  readonly workPerWorker?: number;
  readonly workersMax?: number;
}

/** Stands in for KEDA and its HPA: asks how much work there is, or is told, and starts and stops worker processes. */
export interface Scaler extends AsyncDisposable {
  /** Processes that have not ended: those that are being stopped among them. */
  readonly processes: number;
  /** Workers that are wanted now. */
  readonly workers: number;
  /** How often there was none and one was started. */
  readonly wakes: number;
  /** Answers that were none: then everything stays as it is. */
  readonly refusals: number;
  /** How often it was told that work begins. */
  readonly pushes: number;
}

export function startScaler(options: ScalerOptions): Scaler {
  const { workPerWorker = 40, workersMax = 1 } = options;
  const over = new AbortController();
  const wanted: Product[] = [];
  const leaving = new Set<Promise<unknown>>();
  let idleSince: number | undefined;
  let wakes = 0;
  let refusals = 0;
  let pushes = 0;

  const startOne = (): void => {
    if (wanted.length === 0) wakes += 1;
    wanted.push(options.startWorker());
  };
  const stop = (worker: Product): void => {
    // Its folder goes with it.
    const ended = (async () => await worker[Symbol.asyncDispose]())();
    leaving.add(ended);
    void ended.finally(() => leaving.delete(ended));
  };
  const scale = (work: number): void => {
    // Up at once, and down only to nothing: between one and many the HPA is slower than any cool-down here.
    if (work > 0) {
      idleSince = undefined;
      if (wanted.length === 0 && options.pushOrigin !== undefined) return;
      const enough = Math.min(workersMax, Math.ceil(work / workPerWorker));
      while (wanted.length < enough) startOne();
      return;
    }
    idleSince ??= performance.now();
    if (performance.now() - idleSince >= options.cooldownMs)
      for (const worker of wanted.splice(0)) stop(worker);
  };
  const run = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const work = await askWork(options.origin);
      if (work === undefined) refusals += 1;
      else if (!over.signal.aborted) scale(work);
      await wait(options.pollMs, undefined, { signal: over.signal }).catch(() => undefined);
    }
  };
  const running = run();
  const { pushOrigin } = options;
  const listening = pushOrigin === undefined ? undefined : listenForWork(pushOrigin, pushed, over.signal);

  function pushed(): void {
    pushes += 1;
    // Each push begins the cool-down anew.
    idleSince = undefined;
    if (wanted.length === 0 && !over.signal.aborted) startOne();
  }

  return {
    get processes() {
      return wanted.length + leaving.size;
    },
    get workers() {
      return wanted.length;
    },
    get wakes() {
      return wakes;
    },
    get refusals() {
      return refusals;
    },
    get pushes() {
      return pushes;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await Promise.all([running, listening]);
      for (const worker of wanted.splice(0)) stop(worker);
      await Promise.all(leaving);
    },
  };
}

/** KEDA waits so long after a stream that ended well. */
const reconnectMs = 2000;

/** Holds a stream open, again and again, until the signal is aborted. */
async function listenForWork(origin: string, onWork: () => void, signal: AbortSignal): Promise<void> {
  const asking = { name: "worker", namespace: "reloader", metadata: { scalerAddress: origin } };
  while (!signal.aborted) {
    const session = connect(origin);
    session.on("error", () => undefined);
    const call = callScaler(session, "StreamIsActive", asking, onWork);
    const leave = () => session.destroy();
    signal.addEventListener("abort", leave, { once: true });
    await call.ended;
    signal.removeEventListener("abort", leave);
    session.destroy();
    await wait(reconnectMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Undefined for any answer but a number. KEDA waits for 3 s. */
async function askWork(origin: string): Promise<number | undefined> {
  try {
    const answer = await fetch(`${origin}/work`, { signal: AbortSignal.timeout(3000) });
    const body: unknown = await answer.json();
    const isNumber = typeof body === "object" && body !== null && "work" in body && answer.status === 200;
    return isNumber && typeof body.work === "number" ? body.work : undefined;
  } catch {
    return undefined;
  }
}
