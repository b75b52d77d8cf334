import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { chartPages } from "./chart-pages.ts";

/** Writes the chart's values.yaml, values.schema.json and the table of its README; test/repo tells when they are old. */
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
for (const [path, text] of chartPages()) {
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
