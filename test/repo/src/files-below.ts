import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * All files below a folder. Links are not followed, as Node's own recursive reading does from version 24 on: packages that need
 * each other for their tests link in a circle.
 */
export function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : filesBelow(path);
    return entry.isFile() ? [path] : [];
  });
}
