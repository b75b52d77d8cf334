import { asFault, Fault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { RereadFile } from "../process/reread-file.ts";
import { type AccessDocument, type AccessSubject, readAccessDocument } from "./access-document.ts";

/** How often the file is checked, and so how late a damaged file is reported, while there are no requests. */
const lookAtAccessMs = 10_000;
const accessFlag = "--access-file";

/** The people and machines in an access file, always up to date. When the file is damaged or missing, its last content stays in force. */
export class AccessFile {
  readonly #file: RereadFile;
  readonly #log: Pick<Log, "info" | "error">;
  #subjects: readonly AccessSubject[];
  #text: string;
  #problem: string | undefined;

  private constructor(
    file: RereadFile,
    log: Pick<Log, "info" | "error">,
    first: { readonly text: string; readonly subjects: readonly AccessSubject[] },
  ) {
    this.#file = file;
    this.#log = log;
    this.#text = first.text;
    this.#subjects = first.subjects;
  }

  /** Faults with `config.invalid` when the file is missing or damaged. */
  static async open(path: string, log: Pick<Log, "info" | "error">): Promise<AccessFile> {
    const file = new RereadFile(path);
    const read = await readFileOf(file);
    if (read.type === "known") return new AccessFile(file, log, read);
    throw new Fault("config.invalid", `${accessFlag} ${path}: ${read.why}`);
  }

  /** Costs one stat while the file is unchanged. Never rejects. */
  async subjects(): Promise<readonly AccessSubject[]> {
    const read = await readFileOf(this.#file);
    if (read.type === "known") this.#take(read);
    else this.#keep(read.why);
    return this.#subjects;
  }

  /** Whether it grants something to groups, or to people without tokens. Only an issuer or a proxy can identify these. */
  get needsIssuer(): boolean {
    return this.#subjects.some(({ digests }) => digests.length === 0);
  }

  /** The present problems of the file, one line each. */
  get notes(): readonly string[] {
    return this.#problem === undefined
      ? []
      : [`${accessFlag} ${this.#file.name}: ${this.#problem}; what it said before still holds`];
  }

  /** Checks the file now and then until the signal is aborted, so that the notes stay true without requests. Never rejects. */
  async watch(clock: Clock, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(lookAtAccessMs, signal).catch(() => undefined);
      if (!signal.aborted) await this.subjects();
    }
  }

  #take({ subjects, text }: { readonly text: string; readonly subjects: readonly AccessSubject[] }): void {
    if (this.#problem === undefined && text === this.#text) return;
    this.#subjects = subjects;
    this.#text = text;
    this.#problem = undefined;
    this.#log.info({ count: subjects.length }, "the access file is taken up");
  }

  #keep(why: string): void {
    if (why === this.#problem) return;
    this.#problem = why;
    this.#log.error({ err: why }, "the access file cannot be used; what it said before still holds");
  }
}

type ReadAccess =
  | { readonly type: "known"; readonly text: string; readonly subjects: readonly AccessSubject[] }
  | Extract<AccessDocument, { type: "unreadable" }>;

async function readFileOf(file: RereadFile): Promise<ReadAccess> {
  try {
    const text = await file.text();
    if (text === undefined)
      return { type: "unreadable", why: "it is missing; write the file, or leave the flag out" };
    const read = readAccessDocument(text);
    return read.type === "known" ? { type: "known", text, subjects: read.subjects } : read;
  } catch (error) {
    return { type: "unreadable", why: asFault(error).message };
  }
}
