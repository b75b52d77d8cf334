import { newsHeartbeatMs, newsPath } from "@fleet-reloader/contracts/api/news";
import { waitForStream } from "../backoff.ts";
import { EventText } from "./event-text.ts";
import { messageOf, type TabMessage } from "./tab-message.ts";

/** Of a stream whose heartbeats do not come, three in a row. */
export const silenceMaxMs = 3 * newsHeartbeatMs;

/** Waits; resolves at once when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
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
      signal,
    );
    if (signal.aborted) return;
    if (end === "refused") return tell({ type: "refused" });
    failures += 1;
    tell({ type: "broken" });
    await pause(waitForStream(failures, Math.random()), signal);
  }
}

/** One stream. Never rejects. */
async function readStream(
  lastId: string | undefined,
  tell: (message: TabMessage) => void,
  outer: AbortSignal,
): Promise<"refused" | "ended"> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), silenceMaxMs);
  try {
    const signal = AbortSignal.any([outer, silent.signal]);
    const headers = lastId === undefined ? {} : { "last-event-id": lastId };
    const response = await fetch(`/api/v1${newsPath}`, { signal, headers, cache: "no-store" });
    if (response.status === 401) return "refused";
    if (!response.ok || response.body === null) return "ended";
    const events = new EventText();
    const decoder = new TextDecoder();
    let id: string | undefined;
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) return "ended";
      clearTimeout(timer);
      timer = setTimeout(() => silent.abort(), silenceMaxMs);
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
    clearTimeout(timer);
  }
}
