import { readdir, readFile, stat } from "node:fs/promises";

/** The files in the folder, or why they are unknown. An unknown folder is not an empty one. */
export type ObservedFolder =
  | { readonly type: "seen"; readonly inode: string; readonly files: readonly string[] }
  | { readonly type: "unseen"; readonly why: string };

/** A file as it is now. */
export type ObservedFile =
  | { readonly type: "read"; readonly text: string; readonly stamp: string }
  /** It is the same as when it got this stamp. */
  | { readonly type: "unchanged" }
  | { readonly type: "unreadable"; readonly why: string }
  /** It is not a file, or does not exist any more. */
  | { readonly type: "gone" };

/** As large as a Secret may be; a kubeconfig is a few KB. */
const sizeMaxBytes = 1024n * 1024n;
/** Some file systems store times in seconds: a file that changed just now may change again without another time. */
const stampableAfterMs = 2000;

/** The file names of kubeconfigs, without those that begin with a dot: editors' copies, and the folders behind a Secret's volume. */
const isKubeconfig = /^[^.].*\.(yaml|yml|kubeconfig)$/;

/** The names of all kubeconfigs of a folder. */
export async function readFolder(folder: string): Promise<ObservedFolder> {
  try {
    const { dev, ino } = await stat(folder);
    const files = (await readdir(folder)).filter((name) => isKubeconfig.test(name)).sort();
    return { type: "seen", inode: `${dev}:${ino}`, files };
  } catch (error) {
    const code = fileErrorOf(error);
    const why = code === "ENOENT" ? "there is no such folder yet" : `the folder cannot be read (${code})`;
    return { type: "unseen", why };
  }
}

/** Reads a file, unless it still has the given stamp. Follows links, since each file in the volume of a Secret is one. */
export async function lookAt(path: string, before: string | undefined, nowMs: number): Promise<ObservedFile> {
  try {
    const found = await stat(path, { bigint: true });
    if (!found.isFile()) return { type: "gone" };
    if (found.size > sizeMaxBytes)
      return { type: "unreadable", why: "it is larger than 1 MiB; expected a kubeconfig" };
    const { dev, ino, size, mtimeNs, ctimeNs, ctimeMs } = found;
    const isOld = nowMs - Number(ctimeMs) > stampableAfterMs;
    const stamp = isOld ? [dev, ino, size, mtimeNs, ctimeNs].join(":") : "";
    if (stamp !== "" && stamp === before) return { type: "unchanged" };
    return { type: "read", text: await readFile(path, "utf8"), stamp };
  } catch (error) {
    const code = fileErrorOf(error);
    return code === "ENOENT"
      ? { type: "gone" }
      : { type: "unreadable", why: `it cannot be read (${code}); mend its rights` };
  }
}

function fileErrorOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
