import { type NewsTopic, newsHeartbeatMs, newsTopics } from "@fleet-reloader/contracts/api/news";
import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { unlessAborted } from "@fleet-reloader/engine/async/unless-aborted";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type {
  FleetVersions,
  HistoryEnd,
  RedisFreshness,
} from "@fleet-reloader/redis/overview/redis-freshness";
import { assertReadable, whileReadable } from "../api/while-readable.ts";
import type { NewsStream } from "./news-stream.ts";

export interface NewsFeedOptions {
  readonly freshness: Pick<RedisFreshness, "historyEnd" | "versions">;
  /** Reasons why Redis cannot be read, one a line. */
  readonly notReady: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** How often the history is checked. A record is written within 200 ms, so a change is on the page within a second. */
const historyEveryMs = 250;
/** Every fourth reading also reads the counts: once a second. */
const readingsOfCounts = 4;

interface Known {
  readonly end: HistoryEnd;
  readonly versions: FleetVersions;
}

/**
 * Tells streams that something is newer, but not what. One loop reads for all streams. It begins with the first stream and ends with the last,
 * so without open streams it costs Redis nothing. When Redis cannot be read, all streams end.
 */
export class NewsFeed {
  readonly #options: NewsFeedOptions;
  /** "waiting": the stream waits for its first reading. "caught-up": everything newer was sent to it. */
  readonly #streams = new Map<NewsStream, "caught-up" | "waiting">();
  /** The end of each stream with a limited duration, on the monotonic clock. */
  readonly #ends = new Map<NewsStream, number>();
  #loop: AbortController | undefined;
  #isClosed = false;
  #known: Known | undefined;

  constructor(options: NewsFeedOptions) {
    this.#options = options;
  }

  /** The number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /** The number of open streams of one reader. */
  sizeOf(reader: string): number {
    return [...this.#streams.keys()].filter((stream) => stream.reader === reader).length;
  }

  /** The code that closes a stream also removes it. */
  add(stream: NewsStream): void {
    if (this.#isClosed) {
      stream.end();
      return;
    }
    this.#streams.set(stream, "waiting");
    if (stream.lastsMs !== undefined)
      this.#ends.set(stream, this.#options.clock.monotonic() + stream.lastsMs);
    if (this.#loop === undefined) this.#begin();
    else this.#catchUp();
  }

  remove(stream: NewsStream): void {
    this.#streams.delete(stream);
    this.#ends.delete(stream);
    if (this.#streams.size === 0) this.#stop();
  }

  /** Ends all streams. No new one begins. */
  close(): void {
    this.#isClosed = true;
    this.#endAll();
  }

  #endAll(): void {
    const all = [...this.#streams.keys()];
    this.#streams.clear();
    this.#ends.clear();
    this.#stop();
    for (const stream of all) stream.end();
  }

  #begin(): void {
    const loop = new AbortController();
    this.#loop = loop;
    this.#follow(loop.signal).catch((error: unknown) => {
      if (loop.signal.aborted) return;
      const { code, message } = asFault(error);
      this.#options.log.debug({ reason: code, err: message }, "the streams of news end");
      this.#endAll();
    });
  }

  #stop(): void {
    this.#loop?.abort();
    this.#loop = undefined;
    this.#known = undefined;
  }

  async #follow(signal: AbortSignal): Promise<never> {
    const { clock, notReady } = this.#options;
    const redis = { clock, notReady };
    let beatAtMs = clock.monotonic() + newsHeartbeatMs;
    for (let turn = 0; ; turn += 1) {
      // A command to an unreachable Redis waits.
      assertReadable(notReady);
      const reading = whileReadable(this.#read(turn), redis, signal);
      this.#tell(await unlessAborted(reading, signal, "Redis"));
      if (clock.monotonic() >= beatAtMs) {
        beatAtMs = clock.monotonic() + newsHeartbeatMs;
        for (const stream of this.#streams.keys()) stream.heartbeat();
      }
      this.#endOld();
      await clock.sleep(historyEveryMs, signal);
    }
  }

  #endOld(): void {
    const nowMs = this.#options.clock.monotonic();
    for (const [stream, endMs] of this.#ends) {
      if (nowMs < endMs) continue;
      this.remove(stream);
      stream.end();
    }
  }

  async #read(turn: number): Promise<Known> {
    const { freshness } = this.#options;
    const known = this.#known?.versions;
    const [end, versions] = await Promise.all([
      freshness.historyEnd(),
      known !== undefined && turn % readingsOfCounts !== 0 ? known : freshness.versions(),
    ]);
    return { end, versions };
  }

  #tell(now: Known): void {
    const before = this.#known;
    this.#known = now;
    if (before !== undefined) {
      const topics = newerTopics(before, now);
      const isLost = now.end.added.some((count, shard) => count < (before.end.added[shard] ?? 0));
      for (const [stream, state] of this.#streams) {
        if (state === "waiting") continue;
        if (isLost) stream.historyLost(now.end.id);
        if (topics.length > 0) stream.tell(topics, now.end.id);
      }
    }
    this.#catchUp();
  }

  /** Sends new streams all topics. For counts nobody knows what changed since the reader's last stream. */
  #catchUp(): void {
    const { end } = this.#known ?? {};
    if (end === undefined) return;
    for (const [stream, state] of this.#streams) {
      if (state === "caught-up") continue;
      this.#streams.set(stream, "caught-up");
      const topics = newsTopics.filter((topic) => topic !== "changes" || stream.lastId !== end.id);
      stream.tell(topics, end.id);
      stream.caughtUp(end.id);
    }
  }
}

function newerTopics(before: Known, now: Known): readonly NewsTopic[] {
  return newsTopics.filter((topic) =>
    topic === "changes"
      ? before.end.ids.join() !== now.end.ids.join()
      : before.versions[topic] !== now.versions[topic],
  );
}
