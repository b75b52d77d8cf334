import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { makeFolder } from "../process/data-dir.ts";
import { RereadFile } from "../process/reread-file.ts";
import { whileLocked } from "./file-lock.ts";

/** A freeze document in a file. A read costs one stat while the file is unchanged. */
export class FreezeFile {
  readonly name: string;
  readonly #file: RereadFile;

  constructor(path: string) {
    this.name = path;
    this.#file = new RereadFile(path);
  }

  /** Undefined: there is no such file. Rejects when it cannot be read, or is a link that leads nowhere. */
  async text(): Promise<string | undefined> {
    return await this.#file.text();
  }

  /** Replaces the text atomically: readers never see half of it, and concurrent writes are not lost. */
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
