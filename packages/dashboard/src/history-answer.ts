import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type HistoryQuery, parseHistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { printableJson } from "@fleet-reloader/runtime/log/printable";
import { type WhileReadableOptions, whileReadable } from "./api/while-readable.ts";

/** What `GET /history` needs. */
export interface HistoryAnswerOptions extends WhileReadableOptions {
  readonly reader: Pick<HistoryReader, "read">;
}

/**
 * Answers `GET /history` with JSON lines, oldest first, written as fast as the reader takes them. If Redis goes away meanwhile, the connection
 * is destroyed, because a normal end would make the answer look complete.
 */
export async function answerHistory(
  { clock, notReady, reader }: HistoryAnswerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD")
    return refuseQuery(response, 405, ["the history is only read: GET"]);
  const { searchParams } = new URL(request.url ?? "/", "http://dashboard");
  const query = parseHistoryQuery(searchParams, clock.now());
  if ("problems" in query) return refuseQuery(response, 400, query.problems);
  const problems = notReady();
  if (problems.length > 0) return refuseQuery(response, 503, problems);
  response.writeHead(200, {
    "content-type": `${typeFor(request)}; charset=utf-8`,
    "content-disposition": "inline",
    "cache-control": "no-store",
    vary: "accept",
    "x-content-type-options": "nosniff",
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const over = new AbortController();
  const written = pipeline(Readable.from(lines(reader, query, over.signal)), response);
  // A reader that closes the connection is no failure of this process.
  await whileReadable(written, { notReady, clock }, over.signal).catch(() => response.destroy());
  over.abort();
}

/** Only browsers ask for HTML. They display text, but save JSON lines as a file, whatever the disposition says. */
function typeFor({ headers }: IncomingMessage): string {
  return headers.accept?.includes("text/html") === true ? "text/plain" : "application/x-ndjson";
}

async function* lines(
  reader: Pick<HistoryReader, "read">,
  query: HistoryQuery,
  signal: AbortSignal,
): AsyncGenerator<string> {
  for await (const { id, record } of reader.read(query, signal))
    yield `${printableJson(JSON.stringify({ id, ...record }))}\n`;
}

function refuseQuery(response: ServerResponse, status: number, problems: readonly string[]): void {
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" })
    .end(`${problems.join("\n")}\n`);
}
