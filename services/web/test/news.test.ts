import { afterEach, expect, test, vi } from "vitest";
import { waitAfterNews, waitBefore, waitForStream } from "../src/backoff.ts";
import { freshness, lossNotice } from "../src/frame/frame.ts";
import { EventReader } from "../src/news/event-reader.ts";
import { followNews } from "../src/news/follow-news.ts";
import { messageOf, type TabMessage } from "../src/news/tab-message.ts";
import { placeOfAddress, showsTopic } from "../src/place.ts";

afterEach(() => void vi.unstubAllGlobals());

/** No time passes. */
const times = { after: () => () => undefined, chance: () => 0 };

const stream = [
  `id: 5-0-1\nevent: news\ndata: {"topics":["changes","queue"]}\n\n`,
  `id: 5-0-1\nevent: caught-up\ndata: {}\n\n`,
  ":\n\n",
  `id: 6-0-1\nevent: history-lost\ndata: {}\n\n`,
  `event: of-a-later-version\ndata: {}\n\n`,
].join("");

const messages: readonly TabMessage[] = [
  { type: "newer", topics: ["changes", "queue"], id: "5-0-1" },
  { type: "live", id: "5-0-1" },
  { type: "history-lost", id: "6-0-1" },
];

test.each([1, 2, 7, 1000])("a stream in parts of %i characters has the same messages", (length) => {
  const events = new EventReader();
  const parts = Array.from({ length: Math.ceil(stream.length / length) }, (_, at) =>
    stream.slice(at * length, (at + 1) * length),
  );
  expect(parts.flatMap((part) => events.push(part)).flatMap((one) => messageOf(one) ?? [])).toEqual(messages);
});

test("the stream goes on after what was told last, and a heartbeat says that it lives", async () => {
  const told: TabMessage[] = [];
  const over = new AbortController();
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", async (path: string, { headers }: { readonly headers: object }) => {
    asked.push([path, headers]);
    const parts = [stream.slice(0, 60), stream.slice(60, 100), ":\n\n"];
    const body = ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)));
    return new Response(body);
  });
  const tell = (message: TabMessage) => {
    told.push(message);
    if (message.type === "broken") over.abort();
  };
  await followNews(() => "4-0-0", tell, times, over.signal);
  expect(asked).toEqual([["/api/v1/news", { "last-event-id": "4-0-0" }]]);
  expect(told).toEqual([messages[0], messages[1], messages[1], { type: "broken" }]);
});

test("a refusal of who asks ends the stream for good", async () => {
  const told: TabMessage[] = [];
  let asked = 0;
  vi.stubGlobal("fetch", async () => {
    asked += 1;
    return new Response("", { status: 401 });
  });
  await followNews(
    () => undefined,
    (message) => told.push(message),
    times,
    new AbortController().signal,
  );
  expect([asked, told]).toEqual([1, [{ type: "refused" }]]);
});

test("a page that is told of news asks once a minute, and soon after a failure", () => {
  expect(waitBefore({ view: "now" }, { failures: 0, isLive: true }, 0)).toBe(60_000);
  expect(waitBefore({ view: "now" }, { failures: 1, isLive: true }, 1)).toBe(20_000);
});

test("news lead to a question a second at most, and to fewer where answers take long", () => {
  expect(waitAfterNews(0, 0)).toBe(1000);
  expect(waitAfterNews(2000, 0)).toBe(6000);
  expect(waitAfterNews(0, 50)).toBe(60_000);
  // A laptop slept for a night while it waited for the answer.
  expect(waitAfterNews(8 * 3_600_000, 1)).toBe(60_000);
});

test("a stream is asked for ever more seldom, and not by all at the same time", () => {
  expect([waitForStream(1, 0), waitForStream(1, 1)]).toEqual([1000, 2000]);
  expect([waitForStream(50, 0), waitForStream(50, 1)]).toEqual([30_000, 60_000]);
});

test.each([
  ["/", "clusters", true],
  ["/changes/f1-a", "changes", true],
  ["/changes", "queue", false],
  ["/held", "changes", true],
  ["/workloads/nova/Deployment/shop/api", "changes", false],
] as const)("whether %s shows the topic %s: %s", (address, topic, isShown) => {
  expect(showsTopic(placeOfAddress(address, ""), [topic])).toBe(isShown);
});

test("what is live says so with its age, and a loss is shown for an hour", () => {
  expect(freshness(1000, 4000, true)).toBe("live, 3 s old");
  const lostMs = Date.UTC(2026, 0, 1, 12, 3, 4);
  expect(lossNotice(lostMs, lostMs + 60_000)).toContain("before 12:03:04 UTC is gone");
  expect([lossNotice(lostMs, lostMs + 3_700_000), lossNotice(undefined, 0)]).toEqual(["", ""]);
});
