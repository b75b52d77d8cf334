import type { IncomingMessage } from "node:http";
import { parseJson } from "@fleet-reloader/domain/json";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";

/** Maximum size of a body: names of the longest kind, and a reason of 1000 characters of four bytes. */
const actBytesMax = 16 * 1024;

/**
 * Refuses requests that neither our page nor an operator's program sends. A browser names the site of the page that acts. A program names none,
 * and sends no cookie.
 */
export function checkActRequest({ headers, method }: IncomingMessage): void {
  if (method !== "POST") throw otherMethod(method, "an act is sent", "write POST");
  checkSite(headers);
  const { host, origin } = headers;
  if (origin !== undefined && URL.parse(origin)?.host !== host?.toLowerCase())
    throw refusedQuestion({
      field: "Origin",
      value: origin,
      problem: "Origin: the page of another site acts",
      mend: "open the page of fleet-reloader itself",
    });
  const type = headers["content-type"] ?? "";
  if (!/^application\/json *(;|$)/i.test(type))
    throw refusedQuestion({
      field: "Content-Type",
      value: type,
      problem: "Content-Type: the body is no JSON",
      mend: "send JSON with Content-Type: application/json",
    });
}

/** Refuses requests for permissions that neither our page nor a program sends. */
export function checkPermissionsRequest({ headers, method }: IncomingMessage): void {
  if (method !== "GET" && method !== "HEAD") throw otherMethod(method, "this is only read", "write GET");
  // A person may open the address directly.
  if (headers["sec-fetch-site"] !== "none") checkSite(headers);
}

function checkSite(headers: IncomingMessage["headers"]): void {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin")
    throw refusedQuestion({
      field: "Sec-Fetch-Site",
      value: String(site),
      problem: "Sec-Fetch-Site: the page of another site acts",
      mend: "open the page of fleet-reloader itself",
    });
}

function otherMethod(method: string | undefined, problem: string, mend: string) {
  return refusedQuestion({ field: "method", value: method ?? "", problem: `method: ${problem}`, mend });
}

/** Reads the body of an act; undefined when it is not JSON. Faults when it is larger than any act. */
export async function readActJson(request: IncomingMessage): Promise<unknown> {
  return parseJson(await readActText(request));
}

async function readActText(request: IncomingMessage): Promise<string> {
  const { headers } = request;
  if (headers["content-encoding"] !== undefined) throw tooLarge();
  if (Number(headers["content-length"] ?? 0) > actBytesMax) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > actBytesMax) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge() {
  return refusedQuestion({
    field: "Content-Length",
    value: "",
    problem: `Content-Length: the body is compressed, or larger than ${actBytesMax} bytes`,
    mend: "send one act, as plain JSON",
  });
}
