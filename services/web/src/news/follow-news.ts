import { newsHeartbeatMs, newsPath } from "@fleet-reloader/contracts/api/news";
import { waitForStream } from "../backoff.ts";
import { EventReader } from "./event-reader.ts";
import { messageOf, type TabMessage } from "./tab-message.ts";

/** A stream without three heartbeats in a row counts as broken. */
export const silenceMaxMs = 3 * newsHeartbeatMs;

/** Time and chance of the browser. */
export interface NewsTimes {
  /** Runs a function later. The returned function cancels it. */
  after(ms: number, run: () => void): () => void;
  /** From 0 to 1. */
  chance(): number;
}

/** Waits. Resolves at once when the signal is aborted. */
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
 * Keeps a stream of news open until the signal is aborted, and opens a new one when it ends. If the server does not accept the sign-in, it ends
 * for good. `lastId` is the id of the last news.
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

/** Reads one stream to its end. Never rejects. */
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
      // A heartbeat. It tells tabs that were opened meanwhile that the stream is alive.
      if (found.length === 0 && id !== undefined) tell({ type: "live", id });
    }
  } catch {
    return "ended";
  } finally {
    heard();
  }
}
