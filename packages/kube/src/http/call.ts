import type { Way } from "./route.ts";
import type { CallContext } from "./to-fault.ts";
import type { WireRequest } from "./transport/transport.ts";

/** One request to an API server, whatever it is reached by. */
export interface Call {
  readonly method: "GET" | "PATCH" | "POST" | "PUT" | "DELETE";
  /** Path with query. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  /** A list of many objects: it goes over a connection that is closed soon after. */
  readonly isLarge?: true;
  /**
   * Asked last, each time the call is sent: after every wait for a turn, for the guard, and for credentials. A rejection is that of
   * the call, which is not sent then. What may still lie between: a connection has to be made (5 s at most), or one is in use by who
   * asks past the turns whether the cluster answers.
   */
  readonly beforeSent?: () => Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** The request as it goes this way. */
export function wireRequest(call: Call, { identity, origin, prefix }: Way, userAgent: string): WireRequest {
  return {
    origin,
    method: call.method,
    path: prefix + call.path,
    headers: {
      ...identity.headers,
      "user-agent": userAgent,
      accept: call.accept ?? "application/json",
      ...(call.contentType === undefined ? {} : { "content-type": call.contentType }),
    },
    ...(call.body === undefined ? {} : { body: call.body }),
  };
}

/** Where a fault happened. */
export function callContextOf(call: Call, server: string): CallContext {
  return { server, method: call.method, path: call.path.split("?")[0] ?? call.path };
}
