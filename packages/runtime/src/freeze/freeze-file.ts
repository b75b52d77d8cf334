import { lstat, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { makeFolder } from "../process/data-dir.ts";

/** Times of files are as coarse as this: what was written just now may be written again under the same time. */
const coarseMs = 100;

/** A freeze document in a file. Asking costs one stat while nobody changes it. */
export class FreezeFile {
  readonly name: string;
  #known: { readonly stamp: string; readonly text: string } | undefined;

  constructor(path: string) {
    this.name = path;
  }

  /** Undefined: there is no such file. Rejects when there is one that cannot be read, or a link that leads nowhere. */
  async text(): Promise<string | undefined> {
    try {
      const { mtimeMs, ctimeMs, size, ino } = await stat(this.name);
      const stamp = [mtimeMs, ctimeMs, size, ino].join(" ");
      if (this.#known?.stamp === stamp) return this.#known.text;
      const text = await readFile(this.name, "utf8");
      this.#known = Date.now() - Math.max(mtimeMs, ctimeMs) > coarseMs ? { stamp, text } : undefined;
      return text;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : "unreadable";
      if (code === "ENOENT" && !(await isLink(this.name))) return undefined;
      if (code === "ENOENT")
        throw new Error("it is a link to a missing file; create the file, or change the link");
      throw new Error(`the file cannot be read (${String(code)}); let this process read it, or remove it`);
    }
  }

  /** Puts a new text in the place of the old one; nobody ever sees half of it. */
  async write(change: (before: string | undefined) => string): Promise<void> {
    const text = change(await this.text());
    makeFolder(dirname(this.name));
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

async function isLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
