import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** A file that was read. */
export interface ManifestText {
  readonly file: string;
  readonly text: string;
}

/** A file that was not, and why: field, value and mend in one sentence. */
export interface UnreadManifest {
  readonly file: string;
  readonly why: string;
}

/** Rendered charts have some megabytes; a parsed file takes many times its size. */
const sizeMax = 32 * 1024 * 1024;

/** Reads the files, all manifests below the folders, and the standard input for `-`, in the order given. */
export async function readManifestFiles(
  paths: readonly string[],
  stdin: Readable,
): Promise<readonly (ManifestText | UnreadManifest)[]> {
  const read: (ManifestText | UnreadManifest)[] = [];
  for (const path of [...new Set(paths)]) {
    if (path === "-") read.push({ file: "stdin", text: await text(stdin) });
    else
      for (const file of await filesAt(path))
        read.push(typeof file === "string" ? await readOne(file) : file);
  }
  return read;
}

async function filesAt(path: string): Promise<readonly (string | UnreadManifest)[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const below = await manifestsBelow(path);
    return below.length > 0 ? below : [{ file: path, why: "the folder has no .yaml, .yml or .json file" }];
  } catch (error) {
    return [unread(path, error)];
  }
}

/** Sorted, so that findings and fingerprints do not depend on the file system. Hidden folders hold no manifests of anybody. */
async function manifestsBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await manifestsBelow(path)));
    else if (entry.isFile() && /\.(ya?ml|json)$/i.test(entry.name)) files.push(path);
  }
  return files;
}

async function readOne(file: string): Promise<ManifestText | UnreadManifest> {
  try {
    const { size } = await stat(file);
    if (size > sizeMax)
      return { file, why: `the file is larger than ${sizeMax / 1024 / 1024} MiB; give it in parts` };
    return { file, text: await readFile(file, "utf8") };
  } catch (error) {
    return unread(file, error);
  }
}

/** The system's code only: its message repeats the path. */
function unread(file: string, error: unknown): UnreadManifest {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
  const why =
    code === "ENOENT" ? "there is no such file; check the path" : `the file cannot be read (${code})`;
  return { file, why };
}
