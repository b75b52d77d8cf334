import type { ApiResult } from "@fleet-reloader/testkit/api-client";
import { text } from "./field.ts";

/** The body of an answer below 400; everything else spoils the run. */
export async function expectOk(what: string, answer: Promise<ApiResult>): Promise<unknown> {
  const { status, body } = await answer;
  if (status >= 400) throw new Error(`${what}: ${status} ${text(body, "message")}`);
  return body;
}
