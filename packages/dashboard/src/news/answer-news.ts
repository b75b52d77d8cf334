import type { IncomingMessage, ServerResponse } from "node:http";
import { apiRoot } from "@fleet-reloader/contracts/api/api-routes";
import { newsPath } from "@fleet-reloader/contracts/api/news";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { answerHeaders } from "../api/send-answer.ts";
import type { NewsFeed } from "./news-feed.ts";
import { NewsStream } from "./news-stream.ts";

/** Maximum open streams. Each takes about 30 KiB of this process. */
const newsStreamsMax = 500;

/** Maximum streams of one reader. The tabs of a browser share one, and nobody has so many browsers. */
const streamsOfReaderMax = 50;

/** A stream ends after this time, so that its reader's rights are checked again: a sign-in ends, and grants change. */
const signedInMs = 300_000;

/** The terms of a new stream. */
export interface NewsAnswerOptions {
  readonly feed: Pick<NewsFeed, "add" | "remove" | "size" | "sizeOf">;
  /** The name of the signed-in person or of the token's owner; undefined without sign-in. */
  readonly reader: string | undefined;
  readonly seesQueue: boolean;
}

/** Whether an address is the one of the stream of news. */
export function isOfNews(path: string): boolean {
  return path === `${apiRoot}${newsPath}`;
}

/** Answers with a stream that lasts until either side ends it. Faults when there are too many. */
export function answerNews(
  { feed, reader, seesQueue }: NewsAnswerOptions,
  { headers, method }: IncomingMessage,
  response: ServerResponse,
): void {
  if (feed.size >= newsStreamsMax) throw tooManyStreams(newsStreamsMax, "are open");
  if (reader !== undefined && feed.sizeOf(reader) >= streamsOfReaderMax)
    throw tooManyStreams(streamsOfReaderMax, `of ${reader} are open`);
  response.writeHead(200, Object.assign({ "x-accel-buffering": "no" }, answerHeaders("text/event-stream")));
  if (method === "HEAD") {
    response.end();
    return;
  }
  response.flushHeaders();
  const stream = new NewsStream(response, {
    lastId: lastIdOf(headers["last-event-id"]),
    lastsMs: reader === undefined ? undefined : signedInMs,
    seesQueue,
    reader: reader ?? "",
  });
  response.once("close", () => feed.remove(stream));
  // A broken connection emits `close`, too.
  response.once("error", () => undefined);
  feed.add(stream);
}

function tooManyStreams(count: number, are: string) {
  return refusedQuestion({
    field: "streams",
    value: String(count),
    problem: `streams: ${count} ${are}, and no more are served at once`,
    mend: "ask the other routes now and then instead, as the page does by itself",
  });
}

function lastIdOf(given: string | readonly string[] | undefined): string | undefined {
  return typeof given === "string" ? given : given?.[0];
}
