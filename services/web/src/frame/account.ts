import { askSession } from "./session.ts";

/** Who is signed in, as the header says it. */
export class Account {
  #isAsked = false;

  /** Resolves to the name when it has just become known. Who it is may not be known while Redis is away: then it is asked again. */
  async ask(): Promise<string | undefined> {
    if (this.#isAsked) return undefined;
    this.#isAsked = true;
    const signed = await askSession("GET");
    this.#isAsked = "name" in signed;
    return "name" in signed ? signed.name : undefined;
  }
}
