import type { IncomingMessage, ServerResponse } from "node:http";

/** One request on its way through the server, its user known. */
export interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly user: string;
}
