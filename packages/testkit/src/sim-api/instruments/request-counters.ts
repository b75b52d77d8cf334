import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface RequestCount {
  readonly requests: number;
  /** Bytes on the wire of the answers, headers included; open watches count as they go. */
  readonly responseBytes: number;
}

interface Tally {
  requests: number;
  responseBytes: number;
}

interface OpenRequest {
  readonly tally: Tally;
  readonly socket: Socket;
  readonly startBytes: number;
}

/** How often what was asked for, and how much went out; keyed `list configmaps`, `patch deployments/status`, `get /version`. */
export class RequestCounters {
  readonly #tallies = new Map<string, Tally>();
  readonly #open = new Set<OpenRequest>();

  begin(key: string, request: IncomingMessage, response: ServerResponse): void {
    const tally = this.#tallies.get(key) ?? { requests: 0, responseBytes: 0 };
    this.#tallies.set(key, tally);
    tally.requests += 1;
    const open = { tally, socket: request.socket, startBytes: request.socket.bytesWritten };
    this.#open.add(open);
    response.once("close", () => {
      this.#open.delete(open);
      tally.responseBytes += open.socket.bytesWritten - open.startBytes;
    });
  }

  get(verb: string, resource: string): RequestCount {
    return this.snapshot().get(`${verb} ${resource}`) ?? { requests: 0, responseBytes: 0 };
  }

  snapshot(): ReadonlyMap<string, RequestCount> {
    const counts = new Map([...this.#tallies].map(([key, tally]) => [key, { ...tally }]));
    for (const [key, tally] of this.#tallies) {
      const count = counts.get(key);
      for (const open of this.#open) {
        if (open.tally === tally && count !== undefined)
          count.responseBytes += open.socket.bytesWritten - open.startBytes;
      }
    }
    return counts;
  }

  reset(): void {
    this.#tallies.clear();
  }
}
