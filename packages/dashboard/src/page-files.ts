import { readFileSync } from "node:fs";

/** The files of the operator's page, as sent to a browser. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** Reads the built page. Its place relative to this file is the same before and after the build. Throws faults of the file system. */
export function readPageFiles(): PageFiles {
  const read = (name: string) => readFileSync(new URL(`../dist/page/${name}`, import.meta.url), "utf8");
  return { script: read("page.js"), style: read("page.css") };
}
