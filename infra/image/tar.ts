/** One entry of a tar archive. Every entry has the same time, so that equal content gives equal bytes. */
export interface TarEntry {
  /** Without a slash at the beginning or the end. */
  readonly path: string;
  readonly type: "file" | "folder" | "link";
  readonly mode: number;
  /** Owner and group. */
  readonly owner: number;
  /** Content of a file; where a link leads. */
  readonly content: Buffer;
}

const blockSize = 512;
/** What fits into a header; longer names are told in an extended header before it (POSIX.1-2001, pax). */
const nameMax = 100;
const typeFlags = { file: "0", link: "2", folder: "5" } as const;

/** The entries as a tar archive, in the order of their paths. */
export function tarOf(entries: readonly TarEntry[]): Buffer {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return Buffer.concat([...sorted.flatMap(blocksOf), Buffer.alloc(2 * blockSize)]);
}

function blocksOf(entry: TarEntry): readonly Buffer[] {
  const path = entry.type === "folder" ? `${entry.path}/` : entry.path;
  const aim = entry.type === "link" ? entry.content.toString("utf8") : "";
  const content = entry.type === "file" ? entry.content : Buffer.alloc(0);
  const long = [
    ...(Buffer.byteLength(path) > nameMax ? [record("path", path)] : []),
    ...(Buffer.byteLength(aim) > nameMax ? [record("linkpath", aim)] : []),
  ].join("");
  const { mode, owner } = entry;
  const head = header({ path, aim, mode, owner, size: content.length, flag: typeFlags[entry.type] });
  if (long === "") return [head, ...padded(content)];
  const extended = Buffer.from(long);
  const before = header({ path: "pax", aim: "", mode: 0o644, owner: 0, size: extended.length, flag: "x" });
  return [before, ...padded(extended), head, ...padded(content)];
}

interface Header {
  readonly path: string;
  readonly aim: string;
  readonly mode: number;
  readonly owner: number;
  readonly size: number;
  readonly flag: string;
}

function header({ path, aim, mode, owner, size, flag }: Header): Buffer {
  const block = Buffer.alloc(blockSize);
  block.write(path.slice(0, nameMax), 0, nameMax, "utf8");
  block.write(octal(mode, 8), 100);
  block.write(octal(owner, 8), 108);
  block.write(octal(owner, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(flag, 156);
  block.write(aim.slice(0, nameMax), 157, nameMax, "utf8");
  block.write("ustar\0" + "00", 257);
  // The sum is made as if its own field were blank.
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, "0")}\0`;
}

/** `<length> <key>=<value>\n`, where the length counts itself too. */
function record(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + 1;
  while (bytes + String(length).length !== length) length = bytes + String(length).length;
  return `${length}${rest}`;
}

function padded(content: Buffer): readonly Buffer[] {
  const rest = content.length % blockSize;
  return rest === 0 ? [content] : [content, Buffer.alloc(blockSize - rest)];
}
