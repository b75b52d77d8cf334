import { lstat, readFile, stat } from "node:fs/promises";

/** Times of files are as coarse as this: what was written just now may be written again under the same time. */
const coarseMs = 100;

/** The text of a file that people change while we run. Asking costs one stat while nobody changes it. */
export class RereadFile {
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
}

async function isLink(path: string): Promise<boolean> {
  return await lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
