import { readFileSync } from "node:fs";

/** The files of the operator's page, as a browser gets them. */
export interface PageFiles {
  readonly script: string;
  readonly style: string;
}

/** Reads the built page. It lies beside this file's folder, built or not. Faults of the file system are thrown. */
export function readPageFiles(): PageFiles {
  const read = (name: string) => readFileSync(new URL(`../dist/page/${name}`, import.meta.url), "utf8");
  return { script: read("page.js"), style: read("page.css") };
}
