import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import type { JsonObject } from "../objects/json.ts";
import { type ApiError, statusJson } from "../status-errors.ts";

/** The real server compresses above this size only. */
const GZIP_BYTES_MIN = 128 * 1024;

export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  body: JsonObject,
): void {
  sendText(request, response, code, `${JSON.stringify(body)}\n`);
}

export function sendPlain(response: ServerResponse, code: number, body: string): void {
  response.writeHead(code, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

export function sendError(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  const retryAfter = error.status.details?.retryAfterSeconds;
  if (typeof retryAfter === "number") response.setHeader("retry-after", String(retryAfter));
  sendJson(request, response, error.status.code, statusJson(error.status));
}

/** Sends pieces as they come: in one go while they are few, else as a stream that obeys the reader. */
export async function sendPieces(
  request: IncomingMessage,
  response: ServerResponse,
  pieces: Generator<string>,
): Promise<void> {
  let text = "";
  // Not a `for`: leaving one would end the generator, and the rest is still wanted.
  for (let next = pieces.next(); next.done !== true; next = pieces.next()) {
    text += next.value;
    if (text.length > GZIP_BYTES_MIN) return sendStream(request, response, text, pieces);
  }
  sendText(request, response, 200, text);
}

async function sendStream(
  request: IncomingMessage,
  response: ServerResponse,
  head: string,
  pieces: Generator<string>,
): Promise<void> {
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-cache, private");
  const source = Readable.from(blocks(head, pieces), { objectMode: false });
  if (acceptsGzip(request)) {
    response.setHeader("content-encoding", "gzip");
    response.setHeader("vary", "Accept-Encoding");
    await pipeline(source, createGzip({ level: 1 }), response);
  } else await pipeline(source, response);
}

function* blocks(head: string, pieces: Generator<string>): Generator<Buffer> {
  let text = head;
  for (const piece of pieces) {
    if (text.length > GZIP_BYTES_MIN) {
      yield Buffer.from(text);
      text = "";
    }
    text += piece;
  }
  yield Buffer.from(text);
}

function sendText(request: IncomingMessage, response: ServerResponse, code: number, text: string): void {
  const plain = Buffer.from(text);
  const isZipped = plain.length > GZIP_BYTES_MIN && acceptsGzip(request);
  const body = isZipped ? gzipSync(plain, { level: 1 }) : plain;
  response.writeHead(code, {
    "content-type": "application/json",
    "cache-control": "no-cache, private",
    "content-length": body.length,
    ...(isZipped ? { "content-encoding": "gzip", vary: "Accept-Encoding" } : {}),
  });
  response.end(body);
}

function acceptsGzip(request: IncomingMessage): boolean {
  return (request.headers["accept-encoding"] ?? "").includes("gzip");
}

/** The whole body; undefined when it is longer than `bytesMax`. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
  });
  await once(request, "end");
  return bytes > bytesMax ? undefined : Buffer.concat(chunks);
}
