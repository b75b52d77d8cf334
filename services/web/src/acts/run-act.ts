import type { ActAnswer, ActName } from "@fleet-reloader/contracts/api/act-routes";
import type { ApiAnswered } from "../ask-api.ts";
import type { ViewNode } from "../view-node.ts";
import { type ActState, actDialogView, type WrittenWords } from "./act-dialog.ts";
import type { ActOffer } from "./act-offer.ts";

/** How an act is shown and sent. */
export interface ActDialogOptions {
  /** Shows a state, and puts the focus on the next thing to do. */
  readonly show: (nodes: readonly ViewNode[], state: ActState["type"]) => void;
  /** Updates the progress of the shown act, and leaves the focus where it is. */
  readonly advance: (done: number, of: number) => void;
  /** The texts that are typed in the dialog now. */
  readonly words: () => WrittenWords;
  readonly send: (address: string, body: object) => Promise<ApiAnswered>;
}

type RefusedAct = Extract<ApiAnswered, { type: "failed" }>["problem"];

/** Acts that are done in parts if they cover several workloads. */
const dividedActs: readonly ActName[] = ["retry", "replay", "discard"];

/** Wanted number of parts: enough that a person can stop the act in time, and few enough that it does not take long. */
const partsWanted = 20;
/** The largest part that the API accepts. */
const partMax = 50;

/** One act, from the first question about what it covers to its result. Closing the dialog stops the act, and shows nothing more of it. */
export class RunningAct {
  readonly #offer: ActOffer;
  readonly #options: ActDialogOptions;
  #state: ActState = { type: "asking" };
  #isClosed = false;

  constructor(offer: ActOffer, options: ActDialogOptions) {
    this.#offer = offer;
    this.#options = options;
  }

  /** Shows what the act covers. */
  async begin(): Promise<void> {
    this.#enter({ type: "asking" });
    await this.#look({ reason: "", until: "" });
  }

  /** Sends the act once. If it is refused, the dialog shows it again with the problem. */
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

  /** Stops an act on many workloads before its next part. */
  stop(): void {
    if (this.#state.type !== "doing" || this.#state.isStopping) return;
    const { done, of } = this.#state;
    this.#enter({ type: "doing", done, of, isStopping: true });
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Sends each part when the one before is done. So the act stops when no further part is sent. */
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

  /** If the act covers another number of workloads by now, the dialog shows them before it can be sent again. */
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
