import type { ApiProblem } from "@fleet-reloader/contracts/api/api-problem";

/** The answer of the API, or why there is none. */
export type ApiAnswered =
  | {
      readonly type: "failed";
      readonly problem: ApiProblem;
      /** The API refuses the question itself. Otherwise the server is away or busy, which passes. */
      readonly isRefused: boolean;
    }
  | { readonly type: "answered"; readonly body: unknown };

/** Whether a question is answered or refused. The page stops showing the content of a refused question. Any other failure may get an answer later. */
export function isDecided(asked: ApiAnswered): boolean {
  return asked.type === "answered" || asked.isRefused;
}

/** Timeout of a question. The API ends a turn after 30 s, so a question without an answer long after that hangs. */
const answerMaxMs = 45_000;

/** Sends a question to the API, or with a body an act. */
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
    if (response.ok) return { type: "answered", body };
    const isRefused = response.status < 500 && response.status !== 429;
    return { type: "failed", problem: body as ApiProblem, isRefused };
  } catch {
    const problem = "fleet-reloader does not answer.";
    const mend =
      sent === undefined
        ? "Check that its process runs and that the port is still forwarded. The page asks again by itself."
        : "Check that its process runs and that the port is still forwarded. It is not known whether it was done: the history tells.";
    return { type: "failed", problem: { code: "page.unanswered", problem, mend }, isRefused: false };
  }
}
