import { Fault } from "@fleet-reloader/domain/fault";
import { jsonField, parseJson } from "@fleet-reloader/domain/json";
import type { StreamEvent } from "@fleet-reloader/engine/ports/source-stream";
import { text } from "../json.ts";
import { LineSplitter } from "./line-splitter.ts";

/** What one chunk of a watch came to. */
export interface WatchBatch<T> {
  readonly events: readonly StreamEvent<T>[];
  /** Where to resume once the events are handled; undefined when the chunk completed no line. */
  readonly resourceVersion: string | undefined;
  /** The watch is over: an ERROR event, or a line that cannot be read (then nothing after it may be trusted). */
  readonly end: Fault | undefined;
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
    let resourceVersion: string | undefined;
    for (const line of this.#lines.push(chunk)) {
      if (line === "") continue;
      const event = parseJson(line);
      const type = text(event, "type");
      if (type === "ERROR") return { events, resourceVersion, end: errorEvent(jsonField(event, "object")) };
      const object = jsonField(event, "object");
      const version = text(object, "metadata", "resourceVersion");
      if (version === "" || !knownTypes.has(type)) {
        return {
          events,
          resourceVersion,
          end: new Fault("kube.malformed", "a line of the watch cannot be read"),
        };
      }
      resourceVersion = version;
      if (type === "BOOKMARK") continue;
      const parsed = this.#parse(object);
      if (parsed === undefined) {
        if (type !== "DELETED") continue;
        // Dropped, what is gone would be there for ever; a list shows what is left.
        return {
          events,
          resourceVersion,
          end: new Fault("kube.malformed", "a deletion does not say of what"),
        };
      }
      if (type === "DELETED") events.push({ type: "delete", object: parsed });
      else events.push({ type: "upsert", object: parsed, ...(type === "ADDED" ? { isNew: true } : {}) });
    }
    const end = this.#lines.isTooLong
      ? new Fault("kube.malformed", "a line of the watch is longer than any object; it is not read")
      : undefined;
    return { events, resourceVersion, end };
  }
}

const knownTypes = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]);

/** 410 usually comes as an event inside a 200 stream: the API server finds out after it has begun to answer. */
function errorEvent(object: unknown): Fault {
  const code = jsonField(object, "code");
  const message = text(object, "message");
  if (code === 410) return new Fault("kube.expired", `the watch expired: ${message}`);
  if (code === 429) {
    const after = jsonField(object, "details", "retryAfterSeconds");
    return new Fault("kube.throttled", `the watch was throttled: ${message}`, {
      ...(typeof after === "number" ? { retryAfterMs: after * 1000 } : {}),
    });
  }
  return new Fault("kube.server-error", `the watch ended with an error: ${message}`);
}
