import type { NewsTimes } from "./follow-news.ts";
import { type NewsReader, SharedNews, type TabChannel, type TabLocks } from "./shared-news.ts";

declare const navigator: { readonly locks?: TabLocks } | undefined;
declare const BroadcastChannel: new (name: string) => TabChannel;

/** The stream of news of this browser. Undefined: the browser has no locks on this page, so there is no news. */
export function openNews(reader: NewsReader, times: NewsTimes): SharedNews | undefined {
  const locks = typeof navigator === "undefined" ? undefined : navigator.locks;
  if (locks === undefined) return undefined;
  return new SharedNews(locks, new BroadcastChannel("fleet-reloader-news"), reader, times);
}
