import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { Json } from "./json.ts";
import { type ApiCall, openRequest, type Target } from "./target.ts";

export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

/** Longer than any server here takes for an event. */
const NEXT_MS = 60_000;

export async function openWatch(target: Target, call: ApiCall): Promise<Watch> {
  return new Watch(await openRequest(target, call));
}

/** One open watch; events wait until they are asked for. */
export class Watch implements Disposable {
  readonly status: number;
  /** Resolves when the server ended it in good order, rejects when it was cut. */
  readonly ended: Promise<void>;
  readonly #response: IncomingMessage;
  readonly #events: WatchEvent[] = [];
  #wake: () => void = () => undefined;
  #isOver = false;

  constructor(response: IncomingMessage) {
    this.#response = response;
    this.status = response.statusCode ?? 0;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended = promise;
    this.ended.catch(() => undefined);
    createInterface({ input: response }).on("line", (line) => {
      const json = new Json(JSON.parse(line));
      this.#events.push({ type: json.text("type"), object: json.at("object") });
      this.#wake();
    });
    const finish = (settle: () => void) => () => {
      this.#isOver = true;
      settle();
      this.#wake();
    };
    response.once("end", finish(resolve));
    response.once(
      "error",
      finish(() => reject(new Error("the watch was cut"))),
    );
    response.once(
      "close",
      finish(() => reject(new Error("the watch was cut"))),
    );
  }

  /** The next event, or undefined when the stream is over. */
  async next(timeoutMs = NEXT_MS): Promise<WatchEvent | undefined> {
    const deadline = performance.now() + timeoutMs;
    while (this.#events.length === 0) {
      const leftMs = deadline - performance.now();
      if (this.#isOver) return undefined;
      if (leftMs <= 0) throw new Error(`no event within ${timeoutMs} ms`);
      await this.#change(leftMs);
    }
    return this.#events.shift();
  }

  async take(count: number): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the watch ended after ${events.length} of ${count} events`);
      events.push(event);
    }
    return events;
  }

  /** Whatever comes until the server ends the stream. */
  async rest(timeoutMs = NEXT_MS): Promise<readonly WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (let event = await this.next(timeoutMs); event !== undefined; event = await this.next(timeoutMs)) {
      events.push(event);
    }
    return events;
  }

  [Symbol.dispose](): void {
    this.#response.destroy();
  }

  #change(timeoutMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#wake = resolve;
    return promise.finally(() => clearTimeout(timer));
  }
}

export function typesOf(events: readonly WatchEvent[]): readonly string[] {
  return events.map((event) => event.type);
}
