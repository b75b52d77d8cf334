import { newsHeartbeatMs } from "@fleet-reloader/contracts/api/news";
import type { FleetVersions, HistoryEnd } from "@fleet-reloader/redis/overview/redis-freshness";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { expect, test } from "vitest";
import { NewsFeed } from "./news-feed.ts";
import { NewsStream, type NewsStreamTerms } from "./news-stream.ts";

const first = { id: "5-0-1", ids: ["4-0", "5-0"], added: [7, 9] };
const same = { held: "1", queue: "1", clusters: "1" };

/** A feed over Redis answers that a test sets. Its streams keep their texts. */
function startFeed() {
  const state = {
    end: first as HistoryEnd,
    versions: same as FleetVersions,
    problems: [] as readonly string[],
    readings: 0,
  };
  const clock = new ManualClock();
  const feed = new NewsFeed({
    freshness: {
      async historyEnd() {
        state.readings += 1;
        return state.end;
      },
      versions: async () => state.versions,
    },
    notReady: () => state.problems,
    clock,
    log: new CollectedLog(),
  });
  const open = (lastId?: string, how: Partial<NewsStreamTerms> = {}) => {
    const reader = { text: "", isEnded: false, isDropped: false, writableLength: 0 };
    const stream = new NewsStream(
      Object.assign(reader, {
        write: (text: string) => (reader.text += text),
        end: () => (reader.isEnded = true),
        destroy: () => (reader.isDropped = true),
      }),
      { lastId, lastsMs: how.lastsMs, seesQueue: how.seesQueue ?? true, reader: "ann" },
    );
    feed.add(stream);
    return {
      reader,
      close: () => feed.remove(stream),
      /** The text since the last call. */
      take() {
        const { text } = reader;
        reader.text = "";
        return text;
      },
    };
  };
  return { state, clock, feed, open };
}

const news = (topics: readonly string[], id: string) =>
  `id: ${id}\nevent: news\ndata: ${JSON.stringify({ topics })}\n\n`;
const caughtUp = (id: string) => `id: ${id}\nevent: caught-up\ndata: {}\n\n`;
const all = ["changes", "held", "queue", "clusters"];
const counted = ["held", "queue", "clusters"];

test("who was shown nothing is told of all topics, and that this is everything", async () => {
  const { clock, open } = startFeed();
  const one = open();
  await clock.advance(0);
  expect(one.take()).toBe(news(all, "5-0-1") + caughtUp("5-0-1"));
  await clock.advance(5000);
  expect(one.take()).toBe("");
});

test.each([
  ["the newest record", "5-0-1", counted],
  ["an older record", "3-0-0", all],
])("who was shown %s goes on after it", async (_, lastId, topics) => {
  const { clock, open } = startFeed();
  open();
  await clock.advance(0);
  expect(open(lastId).take()).toBe(news(topics, "5-0-1") + caughtUp("5-0-1"));
});

test("a record in any shard, and a count that changed, are news within a second", async () => {
  const { clock, open, state } = startFeed();
  const one = open();
  await clock.advance(0);
  one.take();
  state.end = { id: "5-0-1", ids: ["4-9", "5-0"], added: [8, 9] };
  await clock.advance(250);
  expect(one.take()).toBe(news(["changes"], "5-0-1"));
  state.versions = { held: "1", queue: "2", clusters: "2" };
  await clock.advance(1000);
  expect(one.take()).toBe(news(["queue", "clusters"], "5-0-1"));
});

test("fewer records than before are a loss, and older ids than before are news", async () => {
  const { clock, open, state } = startFeed();
  const one = open();
  await clock.advance(0);
  one.take();
  state.end = { id: "", ids: ["", ""], added: [0, 0] };
  await clock.advance(250);
  expect(one.take()).toBe(`id: \nevent: history-lost\ndata: {}\n\n${news(["changes"], "")}`);
  state.end = { id: "9-0-0", ids: ["9-0", ""], added: [1, 0] };
  await clock.advance(250);
  expect(one.take()).toBe(news(["changes"], "9-0-0"));
});

test("Redis is read for all streams at once, and not at all while there is none", async () => {
  const { clock, feed, open, state } = startFeed();
  await clock.advance(60_000);
  expect(state.readings).toBe(0);
  const streams = [open(), open(), open()];
  await clock.advance(1000);
  expect(state.readings).toBeLessThanOrEqual(5);
  for (const { close } of streams) close();
  await clock.advance(1000);
  const { readings } = state;
  await clock.advance(60_000);
  expect([state.readings, feed.size, clock.sleeping]).toEqual([readings, 0, 0]);
  open();
  await clock.advance(0);
  expect(state.readings).toBe(readings + 1);
});

test("a silent stream has a heartbeat, and the close of the process ends it", async () => {
  const { clock, feed, open } = startFeed();
  const one = open();
  await clock.advance(0);
  one.take();
  await clock.advance(newsHeartbeatMs + 1000);
  expect(one.take()).toBe(":\n\n");
  feed.close();
  await clock.advance(60_000);
  expect([one.reader.isEnded, feed.size, clock.sleeping]).toEqual([true, 0, 0]);
});

test("a reader that takes nothing is dropped, and the others go on", async () => {
  const { clock, open, state } = startFeed();
  const slow = open();
  const other = open();
  await clock.advance(0);
  other.take();
  slow.reader.writableLength = 17 * 1024;
  state.end = { id: "6-0-1", ids: ["4-0", "6-0"], added: [7, 10] };
  await clock.advance(250);
  expect(slow.reader.isDropped).toBe(true);
  expect(other.take()).toBe(news(["changes"], "6-0-1"));
});

test("who does not see the queue is not told of it, and a stream that lasts ends", async () => {
  const { clock, feed, open, state } = startFeed();
  const one = open("5-0-1", { seesQueue: false, lastsMs: 300_000 });
  const other = open("5-0-1");
  await clock.advance(0);
  expect(one.take()).toBe(news(["held", "clusters"], "5-0-1") + caughtUp("5-0-1"));
  state.versions = { held: "1", queue: "2", clusters: "1" };
  await clock.advance(1000);
  expect(one.take()).toBe("");
  await clock.advance(300_000);
  expect([one.reader.isEnded, other.reader.isEnded, feed.size]).toEqual([true, false, 1]);
});

test("all streams end when Redis cannot be read", async () => {
  const { clock, feed, open, state } = startFeed();
  const one = open();
  await clock.advance(0);
  state.problems = ["redis: reconnecting"];
  await clock.advance(1000);
  expect([one.reader.isEnded, feed.size]).toEqual([true, 0]);
});
