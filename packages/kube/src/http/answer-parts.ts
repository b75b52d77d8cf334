import { text } from "../json.ts";
import type { StatusBody } from "./to-fault.ts";
import type { AnswerHeaders } from "./transport/transport.ts";

/** A server that asks for a longer pause is asked again after this one; timers beyond 24 days would fire at once. */
const retryAfterMaxMs = 600_000;

/** A refusal says what it has to in a few hundred bytes, one of admission webhooks in some thousand. */
const refusalMaxBytes = 1024 * 1024;

/** The body of a refusal, or its beginning: then the rest is not waited for. */
export async function refusalText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > refusalMaxBytes) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What the body of a refusal says. */
export function statusOf(body: unknown): StatusBody {
  return { message: text(body, "message"), reason: text(body, "reason") };
}

/** The clock of whoever answered, in milliseconds and to the second (RFC 9110, 6.6.1); undefined when it does not say. */
export function dateOf(headers: AnswerHeaders): number | undefined {
  const { date } = headers;
  const parsed = Date.parse(typeof date === "string" ? date : "");
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** In milliseconds; undefined: the server does not ask for a pause, or not in seconds. */
export function retryAfter(headers: AnswerHeaders): number | undefined {
  const value = Number(headers["retry-after"]);
  return Number.isFinite(value) && value > 0 ? Math.min(value * 1000, retryAfterMaxMs) : undefined;
}
