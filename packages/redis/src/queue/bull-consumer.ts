import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Random } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Again } from "@fleet-reloader/engine/ports/request";
import type { DeliveryTimes, Handler } from "@fleet-reloader/engine/ports/workqueue";
import { DelayedError, type Job, Worker } from "bullmq";
import type { RedisClient, RedisConnection } from "../connection/client.ts";
import { type Keys, queueName } from "../connection/keys.ts";
import type { RedisClock } from "../connection/redis-clock.ts";
import { bullBackend } from "./bull-backend.ts";
import { BullHolds } from "./bull-holds.ts";
import { fromJob, isAborted, purposeOf, type RequestJob } from "./request-job.ts";
import { pauseAfter, redeliverAfter } from "./retry-policy.ts";

export interface BullConsumerOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly handler: Handler;
  /** Requests that this process handles at once, divided among the shards; each has at least one. */
  readonly concurrency: number;
  readonly clock: RedisClock;
  readonly random: Random;
  readonly log: Log;
  /** For tests: how long a request stays with a silent worker. */
  readonly lockMs?: number;
  /** Called when a request is taken up for the first time, with the time since it was queued. */
  readonly onTaken?: (waitedMs: number) => void;
}

/** The request of a killed worker is back after at most lock + check = 7.5 s; a lock is renewed at half its time. */
const defaultLockMs = 5000;
const stalledIntervalMs = 2500;
/** Putting a request back takes milliseconds while Redis is available. */
const giveBackMs = 2000;
/** A node drain is no poison: a request may lose its worker this often before it counts as failed. */
const stalledMax = 1000;

/** Finished requests stay a while for the dashboard. */
const keepCompleted = { age: 3600, count: 1000 };
const keepFailed = { age: 7 * 24 * 3600, count: 10_000 };

/** Consumer side of the queue: takes requests, hands them to the handler, and turns results and faults into queue moves. */
export class BullConsumer {
  readonly #options: BullConsumerOptions;
  readonly #connection: RedisConnection;
  readonly #holds: BullHolds;
  /** One for each shard. */
  readonly #workers: readonly Worker<RequestJob, string>[];
  readonly #broken = Promise.withResolvers<never>();
  readonly #stopping = new AbortController();

  constructor(options: BullConsumerOptions) {
    this.#options = options;
    this.#connection = options.client.duplicate();
    const { client, clock, concurrency, keys, log } = options;
    this.#holds = new BullHolds({ client, keys });
    const { signal } = this.#stopping;
    const backend = bullBackend(clock, { connection: this.#connection, log, signal });
    this.#workers = keys.queuePrefixes.map((prefix, shard) =>
      this.#consume(prefix, shareOf(concurrency, shard, keys.shards), backend),
    );
  }

  start(): void {
    for (const worker of this.#workers) void this.#run(worker);
  }

  /** Rejects with a fault `engine.invariant` when the consumer stops taking requests although nobody stopped it. */
  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  async #run(worker: Worker<RequestJob, string>): Promise<void> {
    let why = "";
    try {
      await worker.run();
    } catch (error) {
      why = `: ${asFault(error).message}`;
    }
    if (!this.#stopping.signal.aborted)
      this.#broken.reject(new Fault("engine.invariant", `the queue's worker ended by itself${why}`));
  }

  /** Stops taking requests and waits at most `graceMs` for those under way. The rest is given back, unless Redis is away: then their locks expire. */
  async stop(graceMs: number): Promise<void> {
    const { clock } = this.#options;
    this.#stopping.abort();
    const patience = new AbortController();
    const late = async (): Promise<void> => {
      await clock.sleep(graceMs, patience.signal);
      for (const worker of this.#workers) worker.cancelAllJobs("shutdown");
      await clock.sleep(giveBackMs, patience.signal);
    };
    const closed = Promise.all(this.#workers.map((worker) => worker.close().catch(() => undefined)));
    await Promise.race([closed, late().catch(() => undefined)]);
    patience.abort();
    this.#connection.disconnect();
  }

  #consume(
    prefix: string,
    concurrency: number,
    backend: ReturnType<typeof bullBackend>,
  ): Worker<RequestJob, string> {
    const { lockMs = defaultLockMs, log, random } = this.#options;
    const worker = new Worker<RequestJob, string>(
      queueName,
      (job, token, signal) => this.#process(job, token, signal),
      {
        connection: this.#connection,
        prefix,
        concurrency,
        lockDuration: lockMs,
        stalledInterval: stalledIntervalMs,
        maxStalledCount: stalledMax,
        removeOnComplete: keepCompleted,
        removeOnFail: keepFailed,
        autorun: false,
        settings: {
          backoffStrategy: (attemptsMade, _type, error) =>
            redeliverAfter(asFault(error), attemptsMade, random),
        },
      },
      backend,
    );
    worker.on("error", (error) => log.debug({ err: error.message }, "queue worker error"));
    // The request now belongs to another worker, so ours must not write any more.
    worker.on("lockRenewalFailed", (ids: string[]) => {
      for (const id of ids) worker.cancelJob(id, "lock lost");
    });
    return worker;
  }

  async #process(
    job: Job<RequestJob, string>,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string> {
    const { handler, log, keys, clock, random } = this.#options;
    // Otherwise the entry itself keeps a stack for each counted attempt, and a request may fail for weeks.
    job.opts.stackTraceLimit = 0;
    const request = fromJob(job.data);
    const purpose = purposeOf(job.name);
    if (request === undefined) {
      log.error({ reason: "request.invalid", job: job.id }, "a queue entry names no workload; dropped");
      return "request.invalid";
    }
    const times = timesOf(job, clock.now());
    if (times !== undefined) this.#options.onTaken?.(times.takenAtMs - times.seenAtMs);
    try {
      // A request that is taken up for the first time was never held.
      if (job.attemptsStarted > 1) await this.#holds.forget(keys.shardOf(request.cluster), [job.id ?? ""]);
      const result = await handler(request, {
        attemptsMade: job.attemptsMade,
        isDoubtful: isDoubtful(job),
        purpose,
        times,
        signal: signal ?? new AbortController().signal,
      });
      if (result.type === "done") return result.outcome;
      return await this.#putBack(job, token, result);
    } catch (error) {
      if (error instanceof DelayedError) throw error;
      const fault = asFault(error);
      const { queue } = fault.disposition;
      if (queue === "drop") return fault.code;
      if (queue === "retry") throw fault;
      // First the note: once the request is put back, another worker may take it.
      if (fault.class === "aborted") await noteAbort(job);
      await moveTo(job, clock.now() + pauseAfter(fault, random), { token, clock });
      throw new DelayedError();
    }
  }

  async #putBack(job: Job<RequestJob, string>, token: string | undefined, again: Again): Promise<never> {
    const { clock } = this.#options;
    const againAtMs = Math.ceil(clock.now() + again.afterMs);
    const request = fromJob(job.data);
    const { id } = job;
    if (again.hold === undefined || request === undefined || id === undefined) {
      await moveTo(job, againAtMs, { token, clock });
      throw new DelayedError();
    }
    await this.#holds.note(id, request, { hold: again.hold, againAtMs });
    try {
      await moveTo(job, againAtMs, { token, clock });
    } catch (error) {
      await this.#holds.forget(this.#options.keys.shardOf(request.cluster), [id]);
      throw error;
    }
    throw new DelayedError();
  }
}

/** Undefined for an entry that was taken up before. */
function timesOf(job: Job<RequestJob>, nowMs: number): DeliveryTimes | undefined {
  if (job.attemptsStarted > 1) return undefined;
  return { seenAtMs: job.timestamp, takenAtMs: Math.max(job.timestamp, nowMs) };
}

/** BullMQ expects a wall time of this machine and uses only its distance from now. */
async function moveTo(
  job: Job<RequestJob>,
  dueMs: number,
  { token, clock }: { readonly token: string | undefined; readonly clock: RedisClock },
): Promise<void> {
  await job.moveToDelayed(Math.ceil(clock.localOf(dueMs)), token);
}

/** BullMQ counts attempts and lost workers, but not aborted runs. */
function isDoubtful({ attemptsMade, stalledCounter, data }: Job<RequestJob>): boolean {
  return attemptsMade > 0 || stalledCounter > 0 || isAborted(data);
}

async function noteAbort(job: Job<RequestJob>): Promise<void> {
  if (!isAborted(job.data)) await job.updateData({ ...job.data, isDoubtful: true });
}

/** The remainder of the division goes to the first shards. */
function shareOf(concurrency: number, shard: number, shards: number): number {
  return Math.max(1, Math.floor(concurrency / shards) + (shard < concurrency % shards ? 1 : 0));
}
