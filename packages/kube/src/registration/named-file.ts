import { resolve, sep } from "node:path";

/** Where a registration lies, for the files that it names. */
export interface Placed {
  /** Its folder: files are named relative to it, and lie in it. Undefined: it may name none. */
  readonly folder?: string;
}

/**
 * The file that a registration names, or why it may not be read. Otherwise whoever writes a registration could have any file
 * of this process, such as its own token, sent to a server of their choice.
 */
export function fileAt(
  file: string,
  { folder }: Placed,
): { readonly path: string } | { readonly problem: string } {
  if (folder === undefined)
    return { problem: "names a file; put its content into the registration (…-data, token)" };
  const path = resolve(folder, file);
  if (path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return { path };
  return {
    problem: `names a file outside of ${folder}; put it below that folder, or its content into the kubeconfig`,
  };
}
