import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";
import type { PlaceAnswer } from "./answer.ts";

/** A turn at the API is over after 30 s. What has no answer long after that hangs. */
const answerMaxMs = 45_000;

/** Asks the API. What goes wrong on the way is a refusal, too. Never rejects. */
export async function answerTo(question: string, given: AbortSignal): Promise<PlaceAnswer> {
  try {
    const signal = AbortSignal.any([given, AbortSignal.timeout(answerMaxMs)]);
    const response = await fetch(question, { signal, headers: { accept: "application/json" } });
    const body: unknown = await response.json();
    return response.ok ? { type: "answered", body } : { type: "failed", problem: body as ApiProblem };
  } catch {
    const problem = "fleet-reloader does not answer.";
    const mend =
      "Check that its process runs and that the port is still forwarded. The page asks again by itself.";
    return { type: "failed", problem: { code: "page.unanswered", problem, mend } };
  }
}
