import type { IncomingMessage } from "node:http";
import type { AuditRequestResult } from "@fleet-reloader/engine/ports/meter";

/** The sender of events: an API server, or Amazon Data Firehose on behalf of one. */
export type AuditDelivery = "api-server" | "firehose";

/** https://docs.aws.amazon.com/firehose/latest/dev/httpdeliveryrequestresponse.html: the headers and the answer. */
const requestIdHeader = "x-amz-firehose-request-id";
const accessKeyHeader = "x-amz-firehose-access-key";
const requestIdPattern = /^[-\w]{1,128}$/;
const accessKeyPattern = /^\S{1,4096}$/;

/** Says how to read a body, but not whose it is. */
export function deliveryOf({ headers }: Pick<IncomingMessage, "headers">): AuditDelivery {
  return headers[requestIdHeader] === undefined ? "api-server" : "firehose";
}

/** The token from Firehose; undefined: there is none. */
export function firehoseKey({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const key = headers[accessKeyHeader];
  return typeof key === "string" && accessKeyPattern.test(key) ? key : undefined;
}

const problems: Readonly<Record<Exclude<AuditRequestResult, "accepted">, string>> = {
  unauthorized: "the access key is missing or not known",
  malformed: "the body is not readable as records of audit events",
  "too-large": "the body is too large; lower the buffer size of the stream",
  unavailable: "the events cannot be stored now",
};

/** The answer besides the status. Firehose delivers again unless the answer has the id of its request; an API server reads only the status. */
export function deliveryAnswer(
  request: Pick<IncomingMessage, "headers">,
  result: AuditRequestResult,
  nowMs: number,
): { readonly headers: Readonly<Record<string, string>>; readonly text: string } {
  if (deliveryOf(request) === "api-server") return { headers: {}, text: "" };
  const given = request.headers[requestIdHeader];
  const requestId = typeof given === "string" && requestIdPattern.test(given) ? given : "";
  const answer = { requestId, timestamp: nowMs };
  const told = result === "accepted" ? answer : Object.assign(answer, { errorMessage: problems[result] });
  return { headers: { "content-type": "application/json" }, text: JSON.stringify(told) };
}
