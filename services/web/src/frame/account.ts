import { askSession } from "./session.ts";

/** The signed-in person in the page's header. */
export class Account {
  #isAsked = false;

  /** Resolves to the name when it becomes known. While Redis is away it may stay unknown; then the next call asks again. */
  async ask(): Promise<string | undefined> {
    if (this.#isAsked) return undefined;
    this.#isAsked = true;
    const signed = await askSession("GET");
    this.#isAsked = "name" in signed;
    return "name" in signed ? signed.name : undefined;
  }
}
