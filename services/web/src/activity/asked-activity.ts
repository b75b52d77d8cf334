import type { ApiAnswer } from "@fleet-reloader/contracts/api/api-routes";
import type { ApiAnswered } from "../ask-api.ts";
import type { Place } from "../place.ts";

/** Minimum time between two questions for the same place: a bar is at least a minute wide. */
const plotsEveryMs = 10_000;
/** The filters that a list and its activity have in common. */
const filters = ["since", "cluster", "namespace", "name"] as const;

/** The question to the API for the plots of a place; undefined when it has none. */
function activityQuestion({ query, view }: Place): string | undefined {
  if (view !== "now" && view !== "changes" && view !== "queue") return undefined;
  const given = filters.flatMap((name): [string, string][] => {
    const value = query.get(name)?.trim() ?? "";
    return value === "" ? [] : [[name, value]];
  });
  return `/api/v1/activity${given.length === 0 ? "" : `?${new URLSearchParams(given)}`}`;
}

/** The activity on a view, which is a question beside the view's own. */
export class AskedActivity {
  #question = "";
  #askedMs = Number.NEGATIVE_INFINITY;
  #answer: ApiAnswer<"activity"> | undefined;

  /** The last answer for a place. */
  of(place: Place): ApiAnswer<"activity"> | undefined {
    return activityQuestion(place) === this.#question ? this.#answer : undefined;
  }

  /** Asks for a place with plots when the last answer is old enough. Resolves to whether there is a new answer; otherwise the last one stays. */
  async ask(place: Place, nowMs: number, send: (question: string) => Promise<ApiAnswered>): Promise<boolean> {
    const question = activityQuestion(place);
    if (question === undefined) return false;
    if (question === this.#question && nowMs - this.#askedMs < plotsEveryMs) return false;
    if (question !== this.#question) this.#answer = undefined;
    this.#question = question;
    this.#askedMs = nowMs;
    const answer = await send(question);
    if (question !== this.#question) return false;
    if (answer.type === "failed") {
      // The next question of the view asks again.
      this.#askedMs = Number.NEGATIVE_INFINITY;
      return false;
    }
    this.#answer = answer.body as ApiAnswer<"activity">;
    return true;
  }
}
