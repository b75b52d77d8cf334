import { Fault } from "@fleet-reloader/domain/fault";
import { fieldManager } from "@fleet-reloader/domain/field-manager";
import type { Admit } from "@fleet-reloader/engine/ports/cluster-api";
import { retryAfter, statusOf } from "./answer-parts.ts";
import type { Way } from "./route.ts";
import { type CallContext, statusFault } from "./to-fault.ts";
import type { AnswerHeaders, WireRequest } from "./transport/transport.ts";

/** One request to an API server. */
export interface Call {
  readonly method: "GET" | "PATCH" | "POST" | "PUT" | "DELETE";
  /** Path with query. */
  readonly path: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  /** A list of many objects: it uses a connection that is closed soon afterwards. */
  readonly isLarge?: true;
  /**
   * Asked each time the call is sent, after every wait: for the limit, for the guard, for a connection and for credentials. A call on
   * hold is not sent; a rejection is that of the call. Two waits remain after it: for a new connection (5 s at most), and for one that
   * a probe is using.
   */
  readonly admit?: Admit | undefined;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A call that sends an object as JSON. */
export function jsonCall(method: "POST" | "PUT" | "DELETE", path: string, object: object): Call {
  return { method, path, contentType: "application/json", body: JSON.stringify(object) };
}

/** A call that changes the named fields of an object and leaves the others. */
export function mergePatchCall(path: string, fields: object): Call {
  return { method: "PATCH", path, contentType: "application/merge-patch+json", body: JSON.stringify(fields) };
}

/** The path of a write, which the API server then attributes to us. */
export function writePath(path: string): string {
  return `${path}?fieldManager=${fieldManager}`;
}

/** The request with the address and the credentials of this way. */
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

/** A whole answer as it came; a body that is no JSON is undefined. */
export interface RawAnswer {
  readonly statusCode: number;
  readonly headers: AnswerHeaders;
  readonly body: unknown;
}

/** 404 is an answer; every other status of 400 and above is a fault, and so is a success without JSON. */
export function readAnswer({ statusCode, headers, body }: RawAnswer, call: Call, server: string): Answer {
  const context = callContextOf(call, server);
  if (statusCode !== 404 && statusCode >= 400)
    throw statusFault(statusCode, statusOf(body), context, retryAfter(headers));
  if (body !== undefined) return { status: statusCode, body };
  throw new Fault("kube.malformed", `${call.method} ${call.path} at ${server} answered no JSON`, {
    context: { ...context, status: statusCode },
  });
}

/** Asks for admission; the connection is already reserved. Faults with `kube.conflict` when the call is on hold. */
export async function askAdmission({ admit }: Call): Promise<void> {
  if ((await admit?.()) === "hold")
    throw new Fault("kube.conflict", "it was forbidden while the write waited for its turn");
}

/** Where a fault happened. */
export function callContextOf(call: Call, server: string): CallContext {
  return { server, method: call.method, path: call.path.split("?")[0] ?? call.path };
}
