import { realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";

/** As large as a Secret may be; a token takes a few KB, a bundle of certificates some hundred. */
const contentMaxBytes = 1024 * 1024;
const contentMend = "name a regular file of at most 1 MiB";

/** The location of a registration, for the files that it names. */
export interface Placed {
  /** Its folder: its files lie in it, and their names are relative to it. Undefined: it may name none. */
  readonly folder?: string;
}

/**
 * The file that a registration names, or why it may not be read. Otherwise the author of a registration could have any file of this process, such
 * as its own token, sent to a server of their choice.
 */
export function fileAt(
  file: string,
  { folder }: Placed,
): { readonly path: string } | { readonly problem: string } {
  if (folder === undefined)
    return { problem: "names a file; put its content into the registration (…-data, token)" };
  const path = resolve(folder, file);
  const mend = "put it below that folder, or its content into the kubeconfig";
  if (!isBelow(path, folder)) return { problem: `names a file outside of ${folder}; ${mend}` };
  if (leadsOutOf(folder, path)) return { problem: `names a link that leads out of ${folder}; ${mend}` };
  return { path };
}

/** Follows links, since the volume of a Secret uses them; they stay inside it. A path that does not exist (yet) leads nowhere. */
export function leadsOutOf(folder: string, path: string): boolean {
  try {
    return !isBelow(realpathSync(path), realpathSync(folder));
  } catch {
    return false;
  }
}

/**
 * Why the content of a file is not read; undefined: it may be. Reading a pipe blocks this process until somebody writes to it, and a huge file
 * fills its memory. For a missing or forbidden file the read itself fails.
 */
export function namedFileProblem(path: string): string | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile()) return `is no regular file; ${contentMend}`;
    return found.size > contentMaxBytes ? `is larger than 1 MiB; ${contentMend}` : undefined;
  } catch {
    return undefined;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
