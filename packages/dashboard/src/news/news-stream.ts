import { type NewsTopic, newsEvents } from "@fleet-reloader/contracts/api/news";

/** The parts of a response that a stream needs. */
export interface NewsOutlet {
  /** Bytes that are written but not yet taken by the reader. */
  readonly writableLength: number;
  write(text: string): unknown;
  end(): unknown;
  destroy(): unknown;
}

/** A reader with more untaken bytes than this is dropped and asks again. It is room for some hundred events. */
const untakenBytesMax = 16 * 1024;

/** What a reader receives, and for how long. */
export interface NewsStreamTerms extends Pick<NewsStream, "lastId" | "lastsMs" | "reader"> {
  /** Whether the reader gets news of the queue, which is about the whole fleet. */
  readonly seesQueue: boolean;
}

/** The stream of one reader. */
export class NewsStream {
  readonly #outlet: NewsOutlet;
  readonly #seesQueue: boolean;
  /** The id of the last record that the reader has seen; undefined: none. */
  readonly lastId: string | undefined;
  /** The name of the reader; empty without sign-in. */
  readonly reader: string;
  /** The stream ends after this time; undefined: it has no limit. */
  readonly lastsMs: number | undefined;

  constructor(outlet: NewsOutlet, { lastId, lastsMs, reader, seesQueue }: NewsStreamTerms) {
    this.#outlet = outlet;
    this.#seesQueue = seesQueue;
    this.lastId = lastId;
    this.reader = reader;
    this.lastsMs = lastsMs;
  }

  /** Sends that these topics have something newer. */
  tell(topics: readonly NewsTopic[], id: string): void {
    const seen = topics.filter((topic) => topic !== "queue" || this.#seesQueue);
    if (seen.length > 0) this.#event(newsEvents.newer, JSON.stringify({ topics: seen }), id);
  }

  /** Sends that the reader knows of everything newer. */
  caughtUp(id: string): void {
    this.#event(newsEvents.caughtUp, "{}", id);
  }

  /** Sends that the records which the reader has seen are gone. */
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
