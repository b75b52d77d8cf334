import { get as httpGet } from "node:http";
import { get as httpsGet } from "node:https";
import type { ApiTarget } from "./api-client.ts";

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
  /** `performance.now()` when its bytes arrived, before they were parsed. */
  readonly arrivedAt: number;
}

export interface WatchListener {
  readonly event: (event: WatchEvent) => void;
  readonly broken: (error: Error) => void;
  /** The server ended it, between two events. Absent: `broken` tells. */
  readonly ended?: () => void;
}

/**
 * One watch, until the returned function ends it. A server ends a watch after 30 minutes, or when its watcher does not keep up. Where
 * nobody waits for that, an end we did not ask for spoils the run and is reported.
 */
export async function openWatch(target: ApiTarget, path: string, on: WatchListener): Promise<() => void> {
  const url = new URL(path, target.url);
  const start = url.protocol === "https:" ? httpsGet : httpGet;
  const headers = { authorization: `Bearer ${target.token}`, accept: "application/json" };
  const opened = Promise.withResolvers<void>();
  let isClosed = false;
  const broken = (error: Error): void => {
    if (isClosed) return;
    opened.reject(error);
    on.broken(error);
  };
  const options = { headers, agent: false, ...(target.ca === undefined ? {} : { ca: target.ca }) };
  const request = start(url, options, (response) => {
    if (response.statusCode !== 200) return broken(new Error(`watch ${path}: ${response.statusCode}`));
    opened.resolve();
    let rest: Buffer[] = [];
    response.on("data", (chunk: Buffer) => {
      const arrivedAt = performance.now();
      const lastBreak = chunk.lastIndexOf(10);
      if (lastBreak < 0) return void rest.push(chunk);
      const text = Buffer.concat([...rest, chunk.subarray(0, lastBreak)]).toString("utf8");
      rest = [chunk.subarray(lastBreak + 1)];
      for (const line of text.split("\n")) if (line !== "") on.event({ ...parseEvent(line), arrivedAt });
    });
    response.on("end", () => {
      if (on.ended === undefined || isClosed) return broken(new Error(`watch ${path}: the server ended it`));
      isClosed = true;
      on.ended();
    });
    response.on("error", broken);
  });
  request.on("error", broken);
  await opened.promise;
  return () => {
    isClosed = true;
    request.destroy();
  };
}

function parseEvent(line: string): { readonly type: string; readonly object: unknown } {
  const event: unknown = JSON.parse(line);
  if (typeof event !== "object" || event === null || !("type" in event) || !("object" in event))
    throw new Error("a line of a watch is no event");
  return { type: String(event.type), object: event.object };
}
