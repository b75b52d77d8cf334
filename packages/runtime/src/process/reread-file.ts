import { lstat, readFile, stat } from "node:fs/promises";

/** Resolution of file times: a file that was written just now may be written again with the same time. */
const coarseMs = 100;

/** The text of a file that people change while we run. A read costs one stat while the file is unchanged, since each roll reads it. */
export class RereadFile {
  readonly name: string;
  #known: { readonly stamp: string; readonly text: string } | undefined;

  constructor(path: string) {
    this.name = path;
  }

  /** Undefined: there is no such file. Rejects when it cannot be read, or is a link that leads nowhere. */
  async text(): Promise<string | undefined> {
    const named = await lookedUp(lstat(this.name));
    if (named === undefined) return undefined;
    const found = named.isSymbolicLink() ? await lookedUp(stat(this.name)) : named;
    if (found === undefined)
      throw new Error("it is a link to a missing file; create the file, or change the link");
    const { mtimeMs, ctimeMs, size, ino } = found;
    const stamp = [mtimeMs, ctimeMs, size, ino].join(" ");
    if (this.#known?.stamp === stamp) return this.#known.text;
    const text = await lookedUp(readFile(this.name, "utf8"));
    const isSettled = Date.now() - Math.max(mtimeMs, ctimeMs) > coarseMs;
    this.#known = isSettled && text !== undefined ? { stamp, text } : undefined;
    return text;
  }
}

/** Undefined: the file does not exist (any more). */
async function lookedUp<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unreadable";
    if (code === "ENOENT") return undefined;
    throw new Error(`the file cannot be read (${String(code)}); let this process read it, or remove it`);
  }
}
