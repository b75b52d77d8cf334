import { type NewsTopic, newsEvents, newsTopics } from "@fleet-reloader/contracts/api/news";
import type { TextEvent } from "./event-reader.ts";

/**
 * What the tab that holds the stream tells the others. `live`: the stream lives, and all that is newer was told. `broken`: nothing is told for now.
 * `refused`: who we are is not accepted, so nobody tries again. `hello`: another tab asks whether the stream lives.
 */
export type TabMessage =
  | { readonly type: "newer"; readonly topics: readonly NewsTopic[]; readonly id: string }
  | { readonly type: "live" | "history-lost"; readonly id: string }
  | { readonly type: "broken" | "refused" | "hello" };

/** What an event of the stream tells the tabs; undefined: it is not known, as one of a later version. */
export function messageOf({ id, text, type }: TextEvent): TabMessage | undefined {
  if (type === newsEvents.caughtUp) return { type: "live", id };
  if (type === newsEvents.historyLost) return { type: "history-lost", id };
  return type === newsEvents.newer ? { type: "newer", topics: topicsIn(text), id } : undefined;
}

function topicsIn(text: string): readonly NewsTopic[] {
  return newsTopics.filter((topic) => text.includes(`"${topic}"`));
}
