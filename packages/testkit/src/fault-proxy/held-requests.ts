import type { IncomingMessage, ServerResponse } from "node:http";

/** Requests that are stuck in the network with all they carry. Their callers may give up; the requests arrive all the same. */
export interface HeldRequests {
  /** Requests that came here, let through or not. */
  readonly count: number;
  /** Those of them whose callers have left. */
  readonly abandoned: number;
  /** Lets them through; resolves to what the server answered each, whether its caller still waits for it or not. */
  release(): Promise<readonly number[]>;
}

/** The side of the proxy: what it brings here waits. */
export class RequestHold implements HeldRequests {
  readonly #released = Promise.withResolvers<void>();
  readonly #passed: Promise<number>[] = [];
  #abandoned = 0;

  get count(): number {
    return this.#passed.length;
  }

  get abandoned(): number {
    return this.#abandoned;
  }

  /** Takes the whole request in, and gives it to `pass` when it is let through. */
  async keep(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    pass: (body: Buffer) => Promise<number>,
  ): Promise<void> {
    const body = Buffer.concat(await incoming.toArray());
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) this.#abandoned += 1;
    });
    const passed = this.#released.promise.then(() => pass(body));
    this.#passed.push(passed);
    await passed;
  }

  release(): Promise<readonly number[]> {
    this.#released.resolve();
    return Promise.all(this.#passed);
  }
}
