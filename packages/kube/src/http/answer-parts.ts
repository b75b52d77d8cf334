import { text } from "../json.ts";
import type { StatusBody } from "./to-fault.ts";
import type { AnswerHeaders } from "./transport/transport.ts";

/** The longest pause that a server can ask for. A timer of more than 24 days would fire at once. */
const retryAfterMaxMs = 600_000;

/** A refusal has a few hundred bytes; one from an admission webhook has some thousand. */
const refusalMaxBytes = 1024 * 1024;

/** Reads the body of a refusal. Of a long body it reads only the beginning. */
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

/** The explanation in the body of a refusal. */
export function statusOf(body: unknown): StatusBody {
  return { message: text(body, "message"), reason: text(body, "reason") };
}

/** The Date header in milliseconds, to the second (RFC 9110, 6.6.1); undefined when the answer has none. */
export function dateOf(headers: AnswerHeaders): number | undefined {
  const { date } = headers;
  const parsed = Date.parse(typeof date === "string" ? date : "");
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The Retry-After header in milliseconds; undefined when there is none, or none in seconds. */
export function retryAfter(headers: AnswerHeaders): number | undefined {
  return askedPauseMs(Number(headers["retry-after"]));
}

/** The pause that a server asks for, in milliseconds; undefined when it asks for none. */
export function askedPauseMs(seconds: unknown): number | undefined {
  const isPause = typeof seconds === "number" && Number.isFinite(seconds) && seconds > 0;
  return isPause ? Math.min(seconds * 1000, retryAfterMaxMs) : undefined;
}
