import { Fault } from "@fleet-reloader/domain/fault";
import { jsonField, parseJson } from "@fleet-reloader/domain/json";
import type { StreamEvent } from "@fleet-reloader/engine/ports/source-stream";
import { askedPauseMs } from "../http/answer-parts.ts";
import { text } from "../json.ts";
import { LineSplitter } from "./line-splitter.ts";

/** What one chunk of a watch contains. */
export interface WatchBatch<T> {
  readonly events: readonly StreamEvent<T>[];
  /** Where to resume once the events are handled; undefined when the chunk completed no line. */
  readonly resourceVersion: string | undefined;
  /** The watch is over: an ERROR event, or a line that cannot be read. No later line can be trusted. */
  readonly end: Fault | undefined;
}

/** The content of one line. */
interface WatchLine<T> {
  readonly event?: StreamEvent<T>;
  readonly resourceVersion?: string;
  readonly end?: Fault;
}

/** Turns the chunks of a watch response into events. */
export class WatchReader<T> {
  readonly #lines = new LineSplitter();
  readonly #parse: (object: unknown) => T | undefined;

  constructor(parse: (object: unknown) => T | undefined) {
    this.#parse = parse;
  }

  get hasUnfinishedLine(): boolean {
    return this.#lines.pendingBytes > 0;
  }

  read(chunk: Buffer): WatchBatch<T> {
    const events: StreamEvent<T>[] = [];
    let last: string | undefined;
    for (const line of this.#lines.push(chunk)) {
      if (line === "") continue;
      const { event, resourceVersion, end } = this.#readLine(line);
      last = resourceVersion ?? last;
      if (end !== undefined) return { events, resourceVersion: last, end };
      if (event !== undefined) events.push(event);
    }
    const end = this.#lines.isTooLong
      ? malformed("a line of the watch is longer than any object; it is not read")
      : undefined;
    return { events, resourceVersion: last, end };
  }

  #readLine(line: string): WatchLine<T> {
    const frame = parseJson(line);
    const type = text(frame, "type");
    const object = jsonField(frame, "object");
    if (type === "ERROR") return { end: errorEvent(object) };
    const resourceVersion = text(object, "metadata", "resourceVersion");
    if (resourceVersion === "" || !knownTypes.has(type))
      return { end: malformed("a line of the watch cannot be read") };
    if (type === "BOOKMARK") return { resourceVersion };
    const parsed = this.#parse(object);
    if (parsed !== undefined) return { resourceVersion, event: eventOf(type, parsed) };
    // Skipping a deletion would keep the object for ever; a list shows what is left.
    return type === "DELETED"
      ? { resourceVersion, end: malformed("a deletion names no object") }
      : { resourceVersion };
  }
}

const knownTypes = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

function eventOf<T>(type: string, object: T): StreamEvent<T> {
  if (type === "DELETED") return { type: "delete", object };
  return type === "ADDED" ? { type: "upsert", object, isNew: true } : { type: "upsert", object };
}

function malformed(message: string): Fault {
  return new Fault("kube.malformed", message);
}

/** 410 usually comes as an event inside a 200 stream: the API server detects it after it has begun to answer. */
function errorEvent(object: unknown): Fault {
  const code = jsonField(object, "code");
  const message = text(object, "message");
  if (code === 410) return new Fault("kube.expired", `the watch expired: ${message}`);
  if (code === 429) {
    const retryAfterMs = askedPauseMs(jsonField(object, "details", "retryAfterSeconds"));
    return new Fault(
      "kube.throttled",
      `the watch was throttled: ${message}`,
      retryAfterMs === undefined ? {} : { retryAfterMs },
    );
  }
  return new Fault("kube.server-error", `the watch ended with an error: ${message}`);
}
