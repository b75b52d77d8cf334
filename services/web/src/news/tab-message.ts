import { type NewsTopic, newsEvents, newsTopics } from "@fleet-reloader/contracts/api/news";
import type { TextEvent } from "./event-reader.ts";

/**
 * A message from the tab with the stream to the others. `live`: the stream is alive, and everything newer was sent. `broken`: there is no news
 * for now. `refused`: the server does not accept the sign-in, so no tab tries again. `hello`: another tab asks whether the stream is alive.
 */
export type TabMessage =
  | { readonly type: "newer"; readonly topics: readonly NewsTopic[]; readonly id: string }
  | { readonly type: "live" | "history-lost"; readonly id: string }
  | { readonly type: "broken" | "refused" | "hello" };

/** The message for an event of the stream; undefined for an unknown event, for example of a later version. */
export function messageOf({ id, text, type }: TextEvent): TabMessage | undefined {
  if (type === newsEvents.caughtUp) return { type: "live", id };
  if (type === newsEvents.historyLost) return { type: "history-lost", id };
  return type === newsEvents.newer ? { type: "newer", topics: topicsIn(text), id } : undefined;
}

function topicsIn(text: string): readonly NewsTopic[] {
  return newsTopics.filter((topic) => text.includes(`"${topic}"`));
}
