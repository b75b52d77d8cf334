import type { IncomingMessage } from "node:http";
import { matches, type RequestMatch } from "./request-match.ts";

/** A fault for the next `count` requests (or watch events) that fit; 1 when absent. */
export interface Planned extends RequestMatch {
  readonly count?: number;
}

interface Entry<Fault> {
  readonly fault: Fault;
  left: number;
}

/** Faults of one sort that wait for their requests, first come first served. */
export class FaultPlan<Fault extends Planned> {
  #entries: Entry<Fault>[] = [];

  add(fault: Fault): void {
    this.#entries.push({ fault, left: fault.count ?? 1 });
  }

  /** The fault for this request, used up by one. */
  take(request: IncomingMessage): Fault | undefined {
    const entry = this.#entries.find(({ fault }) => matches(fault, request));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left <= 0) this.#entries = this.#entries.filter((each) => each !== entry);
    return entry.fault;
  }

  clear(): void {
    this.#entries = [];
  }
}
