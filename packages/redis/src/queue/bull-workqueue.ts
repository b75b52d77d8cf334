import { delayFor } from "@fleet-reloader/domain/debounce";
import type { Share } from "@fleet-reloader/domain/fair-share";
import type { Request } from "@fleet-reloader/engine/ports/request";
import type { Addition, Workqueue } from "@fleet-reloader/engine/ports/workqueue";
import { type JobsOptions, Queue } from "bullmq";
import type { RedisClient } from "../connection/client.ts";
import { type Keys, queueName } from "../connection/keys.ts";
import type { RedisClock } from "../connection/redis-clock.ts";
import { Script } from "../connection/script.ts";
import { readList } from "../index/index-entry.ts";
import { bullBackend, delayedScoreOfMs } from "./bull-backend.ts";
import { BullHolds } from "./bull-holds.ts";
import { countWork } from "./bull-work.ts";
import { FairShares } from "./fair-shares.ts";
import { type RequestJob, requestId, toJob } from "./request-job.ts";

/** How late an entry may be taken up: a server checks its clock ten times a second (its hz), plus two round trips. */
const momentMs = 110;
/** A request is retried until it succeeds or becomes pointless; endless retries show in its age, not in a count. */
const deliveriesMax = 1_000_000;

/**
 * When the burst of each change began. KEYS: the prefix of a queue, hold times, hold texts. ARGV: now, then deduplication ids. Returns two wall
 * times for each, in milliseconds: the start of the burst, and when the entry is due that waits for its time; empty when no entry waits.
 *
 * A waiting entry that was never taken up has the start itself: the first change created it (BullMQ's `timestamp`). After an entry was taken up
 * (`processedOn`) and put back, the next change starts a new burst, which is noted on the entry. In all other cases a burst starts now: nothing
 * waits, or the entry is running, and new changes belong to its next run.
 *
 * A change ends the hold of its entry: only a worker knows whether the change is held too, and no worker starts for a held entry.
 */
const burstStartsScript = new Script(`
local prefix, now = KEYS[1], ARGV[1]
local starts = {}
for i = 2, #ARGV do
  local start, due = now, ''
  local id = redis.call('GET', prefix .. 'de:' .. ARGV[i])
  local score = id and redis.call('ZSCORE', prefix .. 'delayed', id)
  if score then
    redis.call('ZREM', KEYS[2], id)
    redis.call('HDEL', KEYS[3], id)
    due = string.format('%d', math.floor(tonumber(score) / ${delayedScoreOfMs}))
    local entry = redis.call('HMGET', prefix .. id, 'timestamp', 'processedOn', 'firstChange')
    local made, taken, first = tonumber(entry[1]), tonumber(entry[2]), tonumber(entry[3])
    if made and not taken then
      start = entry[1]
    elseif first and first >= taken then
      start = entry[3]
    elseif made then
      redis.call('HSET', prefix .. id, 'firstChange', now)
    end
  end
  starts[#starts + 1] = start
  starts[#starts + 1] = due
end
return starts
`);

export interface BullWorkqueueOptions {
  readonly client: RedisClient;
  readonly keys: Keys;
  readonly clock: RedisClock;
  /** How much one cluster may request before others go first; the default when absent. */
  readonly share?: Share;
  /** Leaves the settings of the queues as the services wrote them: for processes that only read, or add now and then. */
  readonly isGuest?: boolean;
}

/**
 * Producer side of the queue. This design survived killed, frozen and duplicated workers: deduplication that keeps the last addition made during
 * an active run, a payload that is only an identity, and for a trailing quiet period a rescheduled delay that the start of the burst bounds.
 */
export class BullWorkqueue implements Workqueue {
  /** One for each shard, in the order of `Keys.queuePrefixes`. */
  readonly queues: readonly Queue<RequestJob>[];
  readonly #client: RedisClient;
  readonly #keys: Keys;
  readonly #clock: RedisClock;
  readonly #holds: BullHolds;
  readonly #shares: FairShares;

  constructor(options: BullWorkqueueOptions) {
    this.#client = options.client;
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#holds = new BullHolds({ client: options.client, keys: options.keys });
    this.#shares = new FairShares(options.clock, options.share);
    this.queues = options.keys.queuePrefixes.map((prefix) => {
      const queue = new Queue<RequestJob>(
        queueName,
        {
          connection: options.client.connection,
          prefix,
          // Nobody reads BullMQ's events about its entries.
          streams: { events: { maxLen: 0 } },
          skipMetasUpdate: options.isGuest ?? false,
        },
        bullBackend(options.clock),
      );
      // The client itself logs the error once; without a listener an error event would end the process.
      queue.on("error", () => undefined);
      return queue;
    });
  }

  async add(additions: readonly Addition[]): Promise<void> {
    const shards = Map.groupBy(additions, ({ request }) => this.#keys.shardOf(request.cluster));
    await Promise.all([...shards].map(([shard, its]) => this.#addTo(shard, its)));
  }

  async waits(request: Request): Promise<boolean> {
    const queue = this.queues[this.#keys.shardOf(request.cluster)];
    // BullMQ keeps this id from the addition to the end of the last run.
    const entry = await queue?.getDeduplicationJobId(requestId(request, "change"));
    return typeof entry === "string";
  }

  /**
   * Requests that are due, not on hold, and not taken up yet. Only a worker moves a delayed request to the waiting ones, so without workers this
   * counts the delayed ones that are due.
   */
  async depth(): Promise<number> {
    const { queues } = this;
    const counted = { queues, holds: this.#holds, clock: this.#clock, horizonMs: 0 };
    const { active, work } = await countWork(counted);
    return work - active;
  }

  async close(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.close()));
  }

  async #addTo(shard: number, all: readonly Addition[]): Promise<void> {
    const queue = this.queues[shard];
    if (queue === undefined) return;
    const holds = [this.#keys.holdTimes(shard), this.#keys.holdTexts(shard)];
    const now = this.#clock.now();
    const bursts = this.#bursts([queue.toKey(""), ...holds], all.filter(isChange), now);
    // What is due at once does not depend on the answer. The script is still sent first, because it ends the holds of waiting entries.
    const isAtOnce = all.every(({ quietPeriodMs }) => quietPeriodMs === 0);
    const wanted = isAtOnce
      ? all.map((addition) => ({ addition, delay: 0 }))
      : delayed(all, await bursts, now);
    await Promise.all([bursts, this.#send(queue, wanted)]);
  }

  async #send(queue: Queue<RequestJob>, wanted: readonly Delayed[]): Promise<void> {
    const priorities = this.#shares.priorities(wanted.map(({ addition }) => addition));
    const timestamp = this.#clock.now();
    const jobs = wanted.map(({ addition, delay }, at) => ({
      name: addition.purpose,
      data: toJob(addition.request),
      opts: { ...jobOptions(addition, { delay, priority: priorities[at] ?? 0 }), timestamp },
    }));
    const [only, ...others] = jobs;
    if (only !== undefined && others.length === 0) await queue.add(only.name, only.data, only.opts);
    else if (others.length > 0) await queue.addBulk(jobs);
  }

  async #bursts(keys: readonly string[], changes: readonly Addition[], now: number) {
    if (changes.length === 0) return new Map<Addition, BurstStart>();
    const ids = changes.map(({ request, purpose }) => requestId(request, purpose));
    const { connection } = this.#client;
    const times = readList(await burstStartsScript.run(connection, keys, [String(now), ...ids]));
    return new Map(
      changes.map((change, at): readonly [Addition, BurstStart] => {
        const dueMs = times[2 * at + 1] === "" ? undefined : Number(times[2 * at + 1]);
        return [change, { startMs: Number(times[2 * at] ?? now), dueMs }];
      }),
    );
  }
}

interface Delayed {
  readonly addition: Addition;
  readonly delay: number;
}

interface BurstStart {
  readonly startMs: number;
  /** When the waiting entry is due. */
  readonly dueMs: number | undefined;
}

/**
 * Trailing debounce: until the quiet period after this change, but no later than the maximum wait after the first. Drops a change whose waiting
 * entry is due in a moment: that entry may be taken up before it is moved, and would run again right after.
 */
function delayed(
  additions: readonly Addition[],
  bursts: ReadonlyMap<Addition, BurstStart>,
  now: number,
): readonly Delayed[] {
  return additions.flatMap((addition) => {
    const { quietPeriodMs, maxWaitMs } = addition;
    const { startMs, dueMs } = bursts.get(addition) ?? { startMs: now, dueMs: undefined };
    const delay = Math.ceil(delayFor(startMs, now, { quietPeriodMs, maxWaitMs }));
    const isDue = dueMs !== undefined && dueMs <= now + momentMs;
    return isDue && delay < Math.min(momentMs, quietPeriodMs) ? [] : [{ addition, delay }];
  });
}

/** Only changes are debounced; the time of all other requests is known when they are added. */
function isChange({ purpose }: Addition): boolean {
  return purpose === "change";
}

/**
 * A priority survives delays, retries and the next run; a change that moves a waiting entry keeps its priority. An entry without one lies in a
 * plain list, which is cheaper.
 */
function jobOptions(
  addition: Addition,
  { delay, priority }: { readonly delay: number; readonly priority: number },
): JobsOptions {
  return {
    delay,
    ...(priority === 0 ? {} : { priority }),
    attempts: deliveriesMax,
    backoff: { type: "by-fault" },
    deduplication: {
      id: requestId(addition.request, addition.purpose),
      keepLastIfActive: true,
      // A newer roll restarts the wait of its follow-up, as a later change does, and an edited period ends a pause at another time.
      reschedule: addition.purpose !== "adoption" && addition.purpose !== "audit",
    },
  };
}
