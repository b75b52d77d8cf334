import { createHash } from "node:crypto";
import { entries, text } from "../api/field.ts";
import { serveMethods } from "../child/serve.ts";
import { type EventCounts, handleEvent, type SourceEvent } from "./event-handler.ts";
import { type SourceKind, startInformer } from "./informer.ts";
import type { PeerModelMethods, PeerModelOptions } from "./methods.ts";

/**
 * A model of Stakater Reloader 1.4, not the thing itself: a client that keeps the same objects and makes the same calls in
 * the same order under the same limits (compat 3.4 to 3.6, 4.8), in this language.
 */
const counts: EventCounts = { lists: 0, patches: 0 };
const queues: Record<SourceKind, SourceEvent[]> = { ConfigMap: [], Secret: [] };
const busy = new Set<SourceKind>();

/** One worker per kind of source; queued events are neither merged nor reordered. */
async function work(kind: SourceKind, options: PeerModelOptions): Promise<void> {
  if (busy.has(kind)) return;
  busy.add(kind);
  const queue = queues[kind];
  for (let event = queue[0]; event !== undefined; event = queue[0]) {
    await handleEvent(event, { ...options, counts });
    queue.shift();
  }
  busy.delete(kind);
}

function hashOf(object: unknown): string {
  const pairs = entries(object, "data").map(([key, value]) => `${key}=${String(value)}`);
  return createHash("sha1").update(pairs.sort().join(";")).digest("hex");
}

const methods: PeerModelMethods = {
  async start(options) {
    const scopes = options.namespaces ?? [undefined];
    const informer = (kind: SourceKind, namespace: string | undefined) =>
      startInformer({
        target: options.target,
        kind,
        namespace,
        onUpdate(before, after) {
          const hash = hashOf(after);
          if (hashOf(before) === hash) return;
          const ref = {
            namespace: text(after, "metadata", "namespace"),
            name: text(after, "metadata", "name"),
          };
          queues[kind].push({ kind, ...ref, hash });
          void work(kind, options);
        },
      });
    await Promise.all(
      scopes.flatMap((namespace) => [informer("ConfigMap", namespace), informer("Secret", namespace)]),
    );
  },
  state: () => ({ backlog: queues.ConfigMap.length + queues.Secret.length, ...counts }),
};

serveMethods(methods);
