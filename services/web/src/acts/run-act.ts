import type { ActAnswer, ActName } from "@fleet-reloader/contracts/api/act-routes";
import type { ApiAnswered } from "../ask-api.ts";
import type { ViewNode } from "../view-node.ts";
import { type ActState, actDialogView, type WrittenWords } from "./act-dialog.ts";
import type { ActOffer } from "./act-offer.ts";

/** Where an act is shown, and where it is sent. */
export interface ActDialogOptions {
  /** Shows a state, and puts the focus on what somebody does next. */
  readonly show: (nodes: readonly ViewNode[], state: ActState["type"]) => void;
  /** Shows how far the act is that is shown, and leaves the focus where it is. */
  readonly advance: (done: number, of: number) => void;
  /** What is written in the dialog now. */
  readonly words: () => WrittenWords;
  readonly send: (address: string, body: object) => Promise<ApiAnswered>;
}

type RefusedAct = Extract<ApiAnswered, { type: "failed" }>["problem"];

/** Acts that are done in parts where they are about several workloads. */
const dividedActs: readonly ActName[] = ["retry", "replay", "discard"];

/** Parts of an act: so few that somebody stops it in time, and so many that it does not take long. */
const partsWanted = 20;
/** The largest part that the API does at once. */
const partMax = 50;

/** One act, from the question what it means to what came of it. A dialog that is closed shows nothing more of it, and stops it. */
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
    const begun = { reason: words.reason, expect: meant.count };
    if (meant.count > 1 && dividedActs.includes(this.#offer.act))
      return await this.#sendParts(begun, meant, words);
    this.#enter({ type: "meant", meant, words, isSending: true });
    const answer = await this.#send(begun, words);
    if (answer.type === "failed") return await this.#refused(answer.problem, meant, words);
    this.#enter({ type: "done", done: answer.body as ActAnswer });
  }

  /** Ends an act on many before its next part. */
  stop(): void {
    if (this.#state.type !== "doing" || this.#state.isStopping) return;
    const { done, of } = this.#state;
    this.#enter({ type: "doing", done, of, isStopping: true });
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Each part is asked for when the one before is done: to stop asking stops the act. */
  async #sendParts(begun: object, meant: ActAnswer, words: WrittenWords): Promise<void> {
    const of = meant.count;
    const batch = Math.min(partMax, Math.ceil(of / partsWanted));
    let [done, more]: [number, object] = [0, begun];
    this.#enter({ type: "doing", done, of, isStopping: false });
    for (;;) {
      const answer = await this.#send(Object.assign({ batch, reason: words.reason }, more), words);
      if (answer.type === "failed" && done === 0) return await this.#refused(answer.problem, meant, words);
      if (answer.type === "failed")
        return this.#enter({ type: "stopped", done, of, problem: answer.problem });
      const part = answer.body as ActAnswer;
      if (part.next === undefined) return this.#enter({ type: "done", done: part });
      done = part.done ?? done;
      more = { next: part.next };
      if (this.#isStopped()) return this.#enter({ type: "stopped", done, of });
      this.#state = { type: "doing", done, of, isStopping: false };
      this.#options.advance(done, of);
    }
  }

  #isStopped(): boolean {
    return this.#isClosed || (this.#state.type === "doing" && this.#state.isStopping);
  }

  /** Another count is meant now: it is looked at again before it is sent again. */
  async #refused(problem: RefusedAct, meant: ActAnswer, words: WrittenWords): Promise<void> {
    if (problem.count !== undefined) return await this.#look(words, problem);
    this.#enter({ type: "meant", meant, words, isSending: false, problem });
  }

  async #look(words: WrittenWords, problem?: RefusedAct): Promise<void> {
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
