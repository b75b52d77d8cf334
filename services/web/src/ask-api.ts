import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";

/** What the API answered, or why it did not. */
export type ApiAnswered =
  | { readonly type: "failed"; readonly problem: ApiProblem }
  | { readonly type: "answered"; readonly body: unknown };

/** A turn at the API is over after 30 s. What has no answer long after that hangs. */
const answerMaxMs = 45_000;

/** Asks the API; with a body it acts. */
export async function askApi(address: string, given: AbortSignal, sent?: object): Promise<ApiAnswered> {
  try {
    const signal = AbortSignal.any([given, AbortSignal.timeout(answerMaxMs)]);
    const accept = "application/json";
    const response = await fetch(
      address,
      sent === undefined
        ? { signal, headers: { accept } }
        : {
            signal,
            headers: { accept, "content-type": "application/json" },
            method: "POST",
            body: JSON.stringify(sent),
          },
    );
    const body: unknown = await response.json();
    return response.ok ? { type: "answered", body } : { type: "failed", problem: body as ApiProblem };
  } catch {
    const problem = "fleet-reloader does not answer.";
    const mend =
      sent === undefined
        ? "Check that its process runs and that the port is still forwarded. The page asks again by itself."
        : "Check that its process runs and that the port is still forwarded. It is not known whether it was done: the history tells.";
    return { type: "failed", problem: { code: "page.unanswered", problem, mend } };
  }
}
