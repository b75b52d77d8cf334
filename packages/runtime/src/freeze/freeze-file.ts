import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { makeFolder } from "../process/data-dir.ts";
import { RereadFile } from "../process/reread-file.ts";
import { whileLocked } from "./file-lock.ts";

/** A freeze document in a file. Asking costs one stat while nobody changes it. */
export class FreezeFile {
  readonly name: string;
  readonly #file: RereadFile;

  constructor(path: string) {
    this.name = path;
    this.#file = new RereadFile(path);
  }

  /** Undefined: there is no such file. Rejects when there is one that cannot be read, or a link that leads nowhere. */
  async text(): Promise<string | undefined> {
    return await this.#file.text();
  }

  /** Puts a new text in the place of the old one. Nobody ever sees half of it, and of writes at the same time none is lost. */
  async write(change: (before: string | undefined) => string): Promise<void> {
    makeFolder(dirname(this.name));
    await whileLocked(this.name, () => this.#replace(change));
  }

  async #replace(change: (before: string | undefined) => string): Promise<void> {
    const text = change(await this.text());
    const beside = `${this.name}.${process.pid}`;
    try {
      await writeFile(beside, text);
      await rename(beside, this.name);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }
}
