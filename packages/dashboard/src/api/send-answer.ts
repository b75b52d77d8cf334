import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import { type Fault, faultCatalogue } from "@fleet-reloader/domain/fault";
import { printableJson } from "@fleet-reloader/runtime/log/printable";

/** The answer of the API to a fault: field, value, what is wrong, mend. */
export function apiProblemOf({ code, context, message, parts, class: its }: Fault): ApiProblem {
  const { count, field, mend, value } = context;
  // The message of an internal error may quote anything. It is in the log only.
  const said = its === "invariant" ? faultCatalogue[code].meaning : message;
  const hasMend = typeof mend === "string" && mend !== "";
  // The message of a refusal ends with its mend.
  const one = hasMend && said.endsWith(`; ${mend}`) ? said.slice(0, -mend.length - 2) : said;
  return {
    code,
    ...(field === undefined ? {} : { field: String(field) }),
    ...(value === undefined ? {} : { value: String(value) }),
    problem: parts[0]?.problem ?? one,
    mend: hasMend ? mend : faultCatalogue[code].mend,
    ...(parts.length === 0 ? {} : { parts: [...parts] }),
    ...(typeof count === "number" ? { count } : {}),
  };
}

/** Answers with a fault. */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  fault: Fault,
  allow?: string,
): void {
  sendAnswer(request, response, status, printableJson(JSON.stringify(apiProblemOf(fault))), allow);
}

/** Answers with JSON, a text or the bytes of a line. Caches do not store it, and pages of other sites cannot read it. */
export function sendAnswer(
  { method }: IncomingMessage,
  response: ServerResponse,
  status: number,
  json: string | Buffer,
  /** For a 405: the allowed methods. */
  allow = "GET, HEAD",
): void {
  const more = headersOfStatus(status, allow);
  response.writeHead(status, Object.assign(more, answerHeaders("application/json")));
  response.end(method === "HEAD" ? undefined : typeof json === "string" ? `${json}\n` : json);
}

/** The headers of every answer of the API. */
export function answerHeaders(type: string) {
  return {
    "content-type": `${type}; charset=utf-8`,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

function headersOfStatus(status: number, allow: string): Readonly<Record<string, string>> {
  if (status === 405) return { allow };
  return status === 401 ? { "www-authenticate": "Bearer" } : {};
}
