import { newsHeartbeatMs, newsPath } from "@fleet-reloader/contracts/api/news";
import { waitForStream } from "../backoff.ts";
import { EventReader } from "./event-reader.ts";
import { messageOf, type TabMessage } from "./tab-message.ts";

/** Of a stream whose heartbeats do not come, three in a row. */
export const silenceMaxMs = 3 * newsHeartbeatMs;

/** Time and chance of the browser. */
export interface NewsTimes {
  /** Runs something later; what is answered stops that. */
  after(ms: number, run: () => void): () => void;
  /** From 0 to 1. */
  chance(): number;
}

/** Waits; resolves at once when the signal is aborted. */
function pause(ms: number, { after }: NewsTimes, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const stop = after(ms, resolve);
    const end = () => {
      stop();
      resolve();
    };
    signal.addEventListener("abort", end, { once: true });
  });
}

/**
 * Holds a stream of news until the signal is aborted, and makes it anew when it ends. After a refusal of who we are it ends for good. `lastId` is what was
 * told last.
 */
export async function followNews(
  lastId: () => string | undefined,
  tell: (message: TabMessage) => void,
  times: NewsTimes,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    const end = await readStream(
      lastId(),
      (message) => {
        failures = 0;
        tell(message);
      },
      times,
      signal,
    );
    if (signal.aborted) return;
    if (end === "refused") return tell({ type: "refused" });
    failures += 1;
    tell({ type: "broken" });
    await pause(waitForStream(failures, times.chance()), times, signal);
  }
}

/** One stream. Never rejects. */
async function readStream(
  lastId: string | undefined,
  tell: (message: TabMessage) => void,
  { after }: NewsTimes,
  outer: AbortSignal,
): Promise<"refused" | "ended"> {
  const silent = new AbortController();
  let heard = after(silenceMaxMs, () => silent.abort());
  try {
    const signal = AbortSignal.any([outer, silent.signal]);
    const headers = lastId === undefined ? {} : { "last-event-id": lastId };
    const response = await fetch(`/api/v1${newsPath}`, { signal, headers, cache: "no-store" });
    if (response.status === 401) return "refused";
    if (!response.ok || response.body === null) return "ended";
    const events = new EventReader();
    const decoder = new TextDecoder();
    let id: string | undefined;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return "ended";
      heard();
      heard = after(silenceMaxMs, () => silent.abort());
      const found = events
        .push(decoder.decode(value, { stream: true }))
        .flatMap((one) => messageOf(one) ?? []);
      for (const message of found) {
        tell(message);
        if (message.type === "live") id = message.id;
      }
      // A heartbeat: tabs that came meanwhile learn that the stream lives.
      if (found.length === 0 && id !== undefined) tell({ type: "live", id });
    }
  } catch {
    return "ended";
  } finally {
    heard();
  }
}
