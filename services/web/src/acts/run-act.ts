import type { ActAnswer } from "@fleet-reloader/contracts/api/act-routes";
import type { ApiAnswered } from "../ask-api.ts";
import type { ViewNode } from "../view-node.ts";
import { type ActState, actDialogView, type WrittenWords } from "./act-dialog.ts";
import type { ActOffer } from "./act-offer.ts";

/** Where an act is shown, and where it is sent. */
export interface ActDialogOptions {
  /** Shows a state, and puts the focus on what somebody does next. */
  readonly show: (nodes: readonly ViewNode[], state: ActState["type"]) => void;
  /** What is written in the dialog now. */
  readonly words: () => WrittenWords;
  readonly send: (address: string, body: object) => Promise<ApiAnswered>;
}

/** One act, from the question what it means to what came of it. A dialog that is closed shows nothing more of it. */
export class RunningAct {
  readonly #offer: ActOffer;
  readonly #options: ActDialogOptions;
  #state: ActState = { type: "asking" };
  #isClosed = false;

  constructor(offer: ActOffer, options: ActDialogOptions) {
    this.#offer = offer;
    this.#options = options;
  }

  /** Shows what is meant. */
  async begin(): Promise<void> {
    this.#enter({ type: "asking" });
    await this.#look({ reason: "", until: "" });
  }

  /** Sends the act once; it is shown again with why it was refused. */
  async confirm(): Promise<void> {
    if (this.#state.type !== "meant" || this.#state.isSending) return;
    const { meant } = this.#state;
    const words = this.#options.words();
    this.#enter({ type: "meant", meant, words, isSending: true });
    const answer = await this.#send({ reason: words.reason, expect: meant.count }, words);
    if (answer.type === "answered") return this.#enter({ type: "done", done: answer.body as ActAnswer });
    const { problem } = answer;
    // Another count is meant now: it is looked at again before it is sent again.
    if (problem.count !== undefined) return await this.#look(words, problem);
    this.#enter({ type: "meant", meant, words, isSending: false, problem });
  }

  close(): void {
    this.#isClosed = true;
  }

  async #look(
    words: WrittenWords,
    problem?: Extract<ApiAnswered, { type: "failed" }>["problem"],
  ): Promise<void> {
    const answer = await this.#send({ dryRun: true }, { reason: "", until: "" });
    if (answer.type === "failed") return this.#enter({ type: "failed", problem: answer.problem });
    this.#enter({ type: "meant", meant: answer.body as ActAnswer, words, isSending: false, problem });
  }

  async #send(more: object, { until }: WrittenWords): Promise<ApiAnswered> {
    const { act, body } = this.#offer;
    const end = until === "" ? {} : { until };
    return await this.#options.send(`/api/v1/acts/${act}`, Object.assign({}, body, end, more));
  }

  #enter(state: ActState): void {
    this.#state = state;
    if (!this.#isClosed) this.#options.show(actDialogView(this.#offer, state), state.type);
  }
}
