import type { NewsTopic } from "@fleet-reloader/contracts/api/news";
import { followNews, type NewsTimes, silenceMaxMs } from "./follow-news.ts";
import type { TabMessage } from "./tab-message.ts";

/** Locks shared by the tabs of one browser. A page with an insecure address has none. */
export interface TabLocks {
  request(name: string, how: { readonly signal: AbortSignal }, work: () => Promise<void>): Promise<void>;
}

/** A channel between the tabs of one browser. A tab does not receive its own messages. */
export interface TabChannel {
  onmessage: ((event: { readonly data: TabMessage }) => void) | null;
  postMessage(message: TabMessage): void;
}

/** What a tab does with news. */
export interface NewsReader {
  newer(topics: readonly NewsTopic[]): void;
  /** Called when the tab begins or ceases to receive news. */
  live(isLive: boolean): void;
  historyLost(): void;
}

/**
 * News for a tab. The visible tabs of a browser share one stream: the tab that has the lock reads the stream and sends the news to the others. A
 * hidden tab leaves the lock to another.
 */
export class SharedNews {
  readonly #locks: TabLocks;
  readonly #channel: TabChannel;
  readonly #reader: NewsReader;
  readonly #times: NewsTimes;
  #visible: AbortController | undefined;
  #holdsStream = false;
  #isLive = false;
  #lastId: string | undefined;
  #stopSilence = (): void => undefined;

  constructor(locks: TabLocks, channel: TabChannel, reader: NewsReader, times: NewsTimes) {
    this.#locks = locks;
    this.#channel = channel;
    this.#reader = reader;
    this.#times = times;
    channel.onmessage = ({ data }) => this.#hear(data);
  }

  /** Call it when the tab becomes visible, and after each answer: an answer shows that a refusal is over. */
  begin(): void {
    if (this.#visible !== undefined) return;
    const visible = new AbortController();
    this.#visible = visible;
    const { signal } = visible;
    this.#channel.postMessage({ type: "hello" });
    const hold = async () => {
      this.#holdsStream = true;
      const tell = (message: TabMessage) => {
        this.#channel.postMessage(message);
        this.#hear(message);
      };
      await followNews(() => this.#lastId, tell, this.#times, signal);
    };
    this.#locks
      .request("fleet-reloader-news", { signal }, hold)
      // A hidden tab stops waiting for the lock.
      .catch(() => undefined)
      .finally(() => {
        if (this.#visible === visible) this.end();
      });
  }

  /** Call it when the tab becomes hidden. */
  end(): void {
    this.#visible?.abort();
    this.#visible = undefined;
    this.#holdsStream = false;
    this.#setLive(false);
  }

  #hear(message: TabMessage): void {
    if (message.type === "hello") {
      if (this.#holdsStream && this.#isLive)
        this.#channel.postMessage({ type: "live", id: this.#lastId ?? "" });
      return;
    }
    if ("id" in message) this.#lastId = message.id;
    if (message.type === "refused") this.end();
    if (this.#visible === undefined) return;
    if (message.type === "newer") this.#reader.newer(message.topics);
    if (message.type === "history-lost") this.#reader.historyLost();
    this.#setLive(message.type !== "broken" && (this.#isLive || message.type === "live"));
  }

  /** Silence means that the tab with the stream has ended without a message. */
  #setLive(isLive: boolean): void {
    this.#stopSilence();
    if (isLive) this.#stopSilence = this.#times.after(silenceMaxMs, () => this.#setLive(false));
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.#reader.live(isLive);
  }
}
