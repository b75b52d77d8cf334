import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Everything below a folder, links not followed: in an image they are what they are. */
export function tree(folder: string): readonly Dirent[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => [
    entry,
    ...(entry.isDirectory() ? tree(join(folder, entry.name)) : []),
  ]);
}
