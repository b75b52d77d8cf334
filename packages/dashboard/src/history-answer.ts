import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type HistoryQuery, parseHistoryQuery } from "@fleet-reloader/contracts/history-query";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { HistoryReader } from "@fleet-reloader/redis/history/history-reader";
import { printableJson } from "@fleet-reloader/runtime/log/printable";

/** Answers `GET /history` with JSON lines, oldest first, written as fast as the reader takes them. */
export async function answerHistory(
  { reader, clock }: { readonly reader: Pick<HistoryReader, "notReady" | "read">; readonly clock: Clock },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD")
    return refuseQuery(response, 405, ["the history is only read: GET"]);
  const { searchParams } = new URL(request.url ?? "/", "http://dashboard");
  const query = parseHistoryQuery(searchParams, clock.now());
  if ("problems" in query) return refuseQuery(response, 400, query.problems);
  const { notReady } = reader;
  if (notReady.length > 0) return refuseQuery(response, 503, notReady);
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
  // A reader that closes the connection is no failure of this process.
  await pipeline(Readable.from(lines(reader, query)), response).catch(() => undefined);
}

/** Only browsers ask for HTML. They show text, and they save JSON lines as a file whatever the disposition says. */
function typeFor({ headers }: IncomingMessage): string {
  return headers.accept?.includes("text/html") === true ? "text/plain" : "application/x-ndjson";
}

async function* lines(reader: Pick<HistoryReader, "read">, query: HistoryQuery): AsyncGenerator<string> {
  for await (const { id, record } of reader.read(query))
    yield `${printableJson(JSON.stringify({ id, ...record }))}\n`;
}

function refuseQuery(response: ServerResponse, status: number, problems: readonly string[]): void {
  response
    .writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" })
    .end(`${problems.join("\n")}\n`);
}
