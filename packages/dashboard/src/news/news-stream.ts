import { type NewsTopic, newsEvents } from "@fleet-reloader/contracts/api/news";

/** What of a response a stream needs. */
export interface NewsOutlet {
  /** Bytes that are written and that the reader has not taken. */
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** A reader that has not taken so much is dropped, and asks again: some hundred events. */
const untakenBytesMax = 16 * 1024;

/** What one reader is told, and how long. */
export interface NewsStreamTerms extends Pick<NewsStream, "lastId" | "lastsMs" | "reader"> {
  /** The queue is that of the whole fleet. */
  readonly seesQueue: boolean;
}

/** The stream of one reader. */
export class NewsStream {
  readonly #outlet: NewsOutlet;
  readonly #seesQueue: boolean;
  /** What the reader was shown last, as the id of a record; undefined: nothing. */
  readonly lastId: string | undefined;
  /** Who reads; empty where nobody signs in. */
  readonly reader: string;
  /** It ends after this; undefined: it does not end by itself. */
  readonly lastsMs: number | undefined;

  constructor(outlet: NewsOutlet, { lastId, lastsMs, reader, seesQueue }: NewsStreamTerms) {
    this.#outlet = outlet;
    this.#seesQueue = seesQueue;
    this.lastId = lastId;
    this.reader = reader;
    this.lastsMs = lastsMs;
  }

  /** These topics are newer. */
  tell(topics: readonly NewsTopic[], id: string): void {
    const seen = topics.filter((topic) => topic !== "queue" || this.#seesQueue);
    if (seen.length > 0) this.#event(newsEvents.newer, JSON.stringify({ topics: seen }), id);
  }

  /** Everything newer has been told. */
  caughtUp(id: string): void {
    this.#event(newsEvents.caughtUp, "{}", id);
  }

  /** The records are gone that the reader was shown. */
  historyLost(id: string): void {
    this.#event(newsEvents.historyLost, "{}", id);
  }

  heartbeat(): void {
    this.#write(":\n\n");
  }

  end(): void {
    this.#outlet.end();
  }

  #event(type: string, text: string, id: string): void {
    this.#write(`id: ${id}\nevent: ${type}\ndata: ${text}\n\n`);
  }

  #write(text: string): void {
    if (this.#outlet.writableLength > untakenBytesMax) this.#outlet.destroy();
    else this.#outlet.write(text);
  }
}
