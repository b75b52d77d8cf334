import type { IncomingMessage, ServerResponse } from "node:http";
import { apiRoot } from "@fleet-reloader/contracts/api/api-routes";
import { newsPath } from "@fleet-reloader/contracts/api/news";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";
import { answerHeaders } from "../api/send-answer.ts";
import type { NewsFeed } from "./news-feed.ts";
import { NewsStream } from "./news-stream.ts";

/** Each takes some 30 KiB of this process. */
const newsStreamsMax = 500;

/** One is shared by the tabs of a browser: so many browsers nobody has. */
const streamsOfReaderMax = 50;

/** Who may ask is looked at again after this: a sign-in ends, and grants change. */
const signedInMs = 300_000;

/** To whom a stream is opened. */
export interface NewsAnswerOptions {
  readonly feed: Pick<NewsFeed, "add" | "remove" | "size" | "sizeOf">;
  /** Who signed in, or has a token; undefined where nobody signs in. */
  readonly reader: string | undefined;
  readonly seesQueue: boolean;
}

/** Whether an address is that of the stream of news. */
export function isOfNews(path: string): boolean {
  return path === `${apiRoot}${newsPath}`;
}

/** Answers with a stream that ends when either side ends it. Faults where there are too many. */
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
  // A connection that breaks is closed, too.
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
