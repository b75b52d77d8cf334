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

/** The stream of one reader. */
export class NewsStream {
  readonly #outlet: NewsOutlet;
  /** What the reader was shown last, as the id of a record; undefined: nothing. */
  readonly lastId: string | undefined;

  constructor(outlet: NewsOutlet, lastId: string | undefined) {
    this.#outlet = outlet;
    this.lastId = lastId;
  }

  /** These topics are newer. */
  tell(topics: readonly NewsTopic[], id: string): void {
    this.#event(newsEvents.newer, JSON.stringify({ topics }), id);
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
