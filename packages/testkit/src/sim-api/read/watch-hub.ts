import type { JsonObject } from "../objects/json.ts";
import { type KubeObject, withMeta } from "../objects/kube-object.ts";
import { apiVersionOf, type ResourceType } from "../objects/resource-types.ts";
import { expired, statusJson } from "../status-errors.ts";
import type { Change } from "../store/history.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Selection } from "./list-query.ts";

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** Where the events of one watch go. */
export interface WatchSink {
  /** Events that look alike for two watches have the same form: they are written out once. */
  readonly form: string;
  readonly render: (object: KubeObject) => JsonObject;
  readonly send: (line: string) => void;
  /** An orderly end of the stream. */
  readonly end: () => void;
}

export interface WatchStart {
  readonly selection: Selection;
  /** undefined or 0: begin with what exists. */
  readonly version: number | undefined;
  readonly wantsBookmarks: boolean;
}

interface Watch extends WatchStart {
  readonly sink: WatchSink;
  /** Only changes above this version are told. */
  readonly after: number;
}

/** All open watches: hands every change to those that have to hear of it. */
export class WatchHub {
  readonly #store: ObjectStore;
  readonly #watches = new Map<ResourceType, Set<Watch>>();
  readonly #stopListening: () => void;

  constructor(store: ObjectStore) {
    this.#store = store;
    this.#stopListening = store.onChange((change) => this.#tell(change.type, change));
  }

  get size(): number {
    return [...this.#watches.values()].reduce((sum, watches) => sum + watches.size, 0);
  }

  /** Sends what the client has missed, then all that comes. The returned function closes the watch. */
  open(start: WatchStart, sink: WatchSink): () => void {
    const { selection, version = 0 } = start;
    const { type } = selection;
    if (version > 0 && version < this.#store.floor(type)) {
      const error = expired(`too old resource version: ${version} (${this.#store.floor(type)})`);
      sink.send(line("ERROR", statusJson(error.status)));
      sink.end();
      // Never entered, so there is nothing to take out; the client's socket may close before this returns.
      return () => undefined;
    }
    const watch: Watch = { ...start, sink, after: version > 0 ? version : this.#store.version };
    const close = (): void => {
      this.#watches.get(type)?.delete(watch);
    };
    const watches = this.#watches.get(type) ?? new Set();
    this.#watches.set(type, watches.add(watch));
    if (version > 0) {
      for (const change of this.#store.changesSince(type, version)) tellOne(watch, change, new Map());
    } else {
      // Not in the order of versions, exactly as the real server does it.
      for (const object of this.#store.scan(type, selection.namespace)) {
        if (selection.matches(object)) sink.send(line("ADDED", sink.render(object)));
      }
      if (start.wantsBookmarks) sink.send(bookmark(type, this.#store.version, sink.form, initialEventsEnd));
    }
    return close;
  }

  /**
   * One bookmark to every watch that asked for them. A watch hears nothing before the server has moved
   * past the version it began with: a quiet server is silent, and so is one that went back in time.
   */
  sendBookmarks(isDue: (sink: WatchSink) => boolean = () => true): void {
    for (const [type, watches] of this.#watches) {
      for (const watch of watches) {
        if (!watch.wantsBookmarks || watch.after >= this.#store.version || !isDue(watch.sink)) continue;
        watch.sink.send(bookmark(type, this.#store.version, watch.sink.form));
      }
    }
  }

  endAll(): void {
    for (const watches of this.#watches.values()) {
      for (const watch of [...watches]) watch.sink.end();
      watches.clear();
    }
  }

  close(): void {
    this.endAll();
    this.#stopListening();
  }

  #tell(type: ResourceType, change: Change): void {
    const lines = new Map<string, string>();
    for (const watch of this.#watches.get(type) ?? []) tellOne(watch, change, lines);
  }
}

function tellOne(watch: Watch, change: Change, lines: Map<string, string>): void {
  const { selection, sink, after } = watch;
  if (change.version <= after) return;
  if (selection.namespace !== undefined && selection.namespace !== change.namespace) return;
  const before = change.before !== undefined && selection.matches(change.before) ? change.before : undefined;
  const now = change.after !== undefined && selection.matches(change.after) ? change.after : undefined;
  if (now === undefined && before === undefined) return;
  const type = now === undefined ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
  const key = `${type} ${sink.form}`;
  let text = lines.get(key);
  if (text === undefined) {
    const gone = before && withMeta(before, { resourceVersion: String(change.version) });
    const object = now ?? gone;
    if (object === undefined) return;
    text = line(type, sink.render(object));
    lines.set(key, text);
  }
  sink.send(text);
}

/** Marks the bookmark after the state that a watch begins with. */
const initialEventsEnd = { annotations: { "k8s.io/initial-events-end": "true" } };

function bookmark(type: ResourceType, version: number, form: string, more: JsonObject = {}): string {
  const isPartial = form === "metadata";
  return line("BOOKMARK", {
    kind: isPartial ? "PartialObjectMetadata" : type.kind,
    apiVersion: isPartial ? "meta.k8s.io/v1" : apiVersionOf(type),
    metadata: { resourceVersion: String(version), ...more },
  });
}

function line(type: WatchEventType, object: JsonObject): string {
  return `${JSON.stringify({ type, object })}\n`;
}
