import type { Clock } from "@fleet-reloader/engine/async/clock";
import { Deadlines } from "./deadlines.ts";
import { type ServerWait, ServerWaits } from "./server-waits.ts";

/** A call whose answer has not begun after this long has an unknown outcome: an API server answers nearly all within a second. */
export const callTimeoutMs = 10_000;
/** A page of large objects over a slow line takes a while; a server that sends a byte at a time must not take for ever. */
const wholeAnswerMs = 60_000;

/** The time of one call. */
export interface CallTime extends Pick<ServerWait, "brought"> {
  headCame(): void;
  ended(): void;
}

/** How long the calls of a connection may take, and since when they wait. */
export class CallTimes {
  /** For the head of the answer, including the wait for a connection. */
  readonly head: Deadlines;
  readonly #whole: Deadlines;
  readonly waits: ServerWaits;

  constructor(clock: Clock) {
    this.head = new Deadlines(callTimeoutMs, clock);
    this.#whole = new Deadlines(wholeAnswerMs, clock);
    this.waits = new ServerWaits(clock);
  }

  /** A call goes out now. `onLate` is called when its head is late, or then its body. */
  begin(onLate: () => void): CallTime {
    const { brought, end } = this.waits.begin();
    let inTime = this.head.add(onLate);
    return {
      headCame: () => {
        inTime();
        inTime = this.#whole.add(onLate);
      },
      brought,
      ended: () => {
        inTime();
        end();
      },
    };
  }

  close(): void {
    this.head.close();
    this.#whole.close();
  }
}
