import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

/** A file as it is now: its text, or why it cannot be read. */
export type FileSight =
  | { readonly type: "read"; readonly text: string; readonly digest: string }
  | { readonly type: "unreadable"; readonly why: string };

/** What lies in the folder, or why that cannot be told, which is not the same as nothing. */
export type FolderSight =
  | { readonly type: "seen"; readonly inode: string; readonly files: ReadonlyMap<string, FileSight> }
  | { readonly type: "unseen"; readonly why: string };

/** As large as a Secret may be; a kubeconfig is a few KB. */
const sizeMaxBytes = 1024 * 1024;

/** Kubeconfigs by their names. Not what begins with a dot: editors' copies, and the folders behind a Secret's volume. */
const isKubeconfig = /^[^.].*\.(yaml|yml|kubeconfig)$/;

/** Reads all kubeconfigs of a folder. Links are followed: in the volume of a Secret each file is one. */
export async function lookInto(folder: string): Promise<FolderSight> {
  try {
    const { dev, ino } = await stat(folder);
    const names = (await readdir(folder)).filter((name) => isKubeconfig.test(name)).sort();
    const files = new Map<string, FileSight>();
    for (const name of names) {
      const sight = await look(join(folder, name));
      if (sight !== undefined) files.set(name, sight);
    }
    return { type: "seen", inode: `${dev}:${ino}`, files };
  } catch (error) {
    const code = codeOf(error);
    const why = code === "ENOENT" ? "there is no such folder yet" : `the folder cannot be read (${code})`;
    return { type: "unseen", why };
  }
}

/** Undefined: it is no file, or no more. */
async function look(path: string): Promise<FileSight | undefined> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return undefined;
    if (found.size > sizeMaxBytes)
      return { type: "unreadable", why: "it is larger than 1 MiB; expected a kubeconfig" };
    const text = await readFile(path, "utf8");
    return { type: "read", text, digest: createHash("sha256").update(text).digest("hex") };
  } catch (error) {
    const code = codeOf(error);
    return code === "ENOENT"
      ? undefined
      : { type: "unreadable", why: `it cannot be read (${code}); mend its rights` };
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
