import type { IncomingMessage, ServerResponse } from "node:http";
import type { JsonObject } from "../objects/json.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { WatchHub, WatchSink, WatchStart } from "../read/watch-hub.ts";

/** The real server ends a watch without `timeoutSeconds` after 30 to 60 minutes. */
const TIMEOUT_MIN_MS = 1_800_000;
/** A last bookmark goes out this long before the end, as the real server does it. */
const LAST_BOOKMARK_MS = 2_000;

export interface WatchStreamOptions {
  readonly hub: WatchHub;
  readonly start: WatchStart;
  readonly form: string;
  readonly render: (object: KubeObject) => JsonObject;
  readonly timeoutSeconds: number | undefined;
  /** Events waiting for a slow reader; one more and the watch is closed. */
  readonly bufferMax: number;
}

/** Serves one watch until its time is up, the client leaves, or it reads too slowly. */
export function serveWatch(
  request: IncomingMessage,
  response: ServerResponse,
  options: WatchStreamOptions,
): void {
  const { hub, start, form, render, bufferMax } = options;
  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
  response.flushHeaders();
  // One packet per event: nothing may sit in the kernel waiting for more.
  request.socket.setNoDelay(true);
  const queue = createLineQueue(response, bufferMax);
  const sink: WatchSink = { form, render, send: queue.send, end: queue.end };
  const close = hub.open(start, sink);
  queue.exemptBacklog();
  const timeoutMs =
    options.timeoutSeconds === undefined
      ? TIMEOUT_MIN_MS * (1 + Math.random())
      : options.timeoutSeconds * 1000;
  const timers = [setTimeout(queue.end, timeoutMs)];
  if (start.wantsBookmarks && timeoutMs > LAST_BOOKMARK_MS) {
    const sendLast = () => hub.sendBookmarks((candidate) => candidate === sink);
    timers.push(setTimeout(sendLast, timeoutMs - LAST_BOOKMARK_MS));
  }
  for (const timer of timers) timer.unref();
  response.once("close", () => {
    close();
    for (const timer of timers) clearTimeout(timer);
  });
}

interface LineQueue {
  readonly send: (line: string) => void;
  readonly end: () => void;
  /** What waits now does not count against the limit: the state a watch begins with may be large. */
  readonly exemptBacklog: () => void;
}

/** Writes lines as fast as the reader takes them; more than `max` waiting lines end the stream. */
function createLineQueue(response: ServerResponse, max: number): LineQueue {
  let waiting: string[] = [];
  let exempt = Number.POSITIVE_INFINITY;
  let isBlocked = false;
  let isEnded = false;
  const end = (): void => {
    if (isEnded) return;
    isEnded = true;
    response.end(waiting.join(""));
  };
  response.on("drain", () => {
    if (isEnded) return;
    const text = waiting.join("");
    waiting = [];
    exempt = 0;
    isBlocked = text !== "" && !response.write(text);
  });
  return {
    send: (line) => {
      if (isEnded) return;
      if (!isBlocked) isBlocked = !response.write(line);
      else if (waiting.push(line) - exempt > max) {
        // What was not sent is lost on purpose: the client reads on from its last version.
        waiting = [];
        end();
      }
    },
    end,
    exemptBacklog: () => {
      exempt = waiting.length;
    },
  };
}
