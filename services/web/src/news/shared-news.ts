import type { NewsTopic } from "@fleet-reloader/contracts/api/news";
import { followNews, type NewsTimes, silenceMaxMs } from "./follow-news.ts";
import type { TabMessage } from "./tab-message.ts";

/** Locks that the tabs of one browser share. Pages of an insecure address have none. */
export interface TabLocks {
  request(name: string, how: { readonly signal: AbortSignal }, work: () => Promise<void>): Promise<void>;
}

/** A channel between the tabs of one browser; a tab does not receive its own messages. */
export interface TabChannel {
  onmessage: ((event: { readonly data: TabMessage }) => void) | null;
  postMessage(message: TabMessage): void;
}

/** What a tab does with news. */
export interface NewsReader {
  newer(topics: readonly NewsTopic[]): void;
  /** Whether news are told now. */
  live(isLive: boolean): void;
  historyLost(): void;
}

/**
 * News for a tab, over the one stream that the visible tabs of a browser share: whichever has the lock holds it, and tells the others. A tab that
 * nobody sees leaves the lock to another.
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

  /** The tab is seen. After a refusal: a question was answered, so that it is over. */
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
      // A hidden tab that waits for the lock gives up.
      .catch(() => undefined)
      .finally(() => {
        if (this.#visible === visible) this.end();
      });
  }

  /** The tab is not seen. */
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

  /** Silence is the end of the tab that held the stream, which could say nothing. */
  #setLive(isLive: boolean): void {
    this.#stopSilence();
    if (isLive) this.#stopSilence = this.#times.after(silenceMaxMs, () => this.#setLive(false));
    if (isLive === this.#isLive) return;
    this.#isLive = isLive;
    this.#reader.live(isLive);
  }
}
