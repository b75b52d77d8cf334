import type { IncomingMessage } from "node:http";

/** Which requests a fault is for; what is left out fits all. */
export interface RequestMatch {
  readonly method?: string;
  /** Found anywhere in the path and query. */
  readonly path?: string | RegExp;
  readonly isWatch?: boolean;
}

export function isWatch(request: IncomingMessage): boolean {
  return request.method === "GET" && /[?&]watch=(true|1)(&|$)/.test(request.url ?? "");
}

export function matches(match: RequestMatch, request: IncomingMessage): boolean {
  const url = request.url ?? "";
  const { method, path } = match;
  return (
    (method === undefined || method.toUpperCase() === request.method) &&
    (path === undefined || (typeof path === "string" ? url.includes(path) : path.test(url))) &&
    (match.isWatch === undefined || match.isWatch === isWatch(request))
  );
}
