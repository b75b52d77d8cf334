import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { signalPages } from "./signal-pages.ts";

/** Writes the dashboard and the alerts; test/repo tells when they are old. */
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
for (const [path, text] of signalPages()) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  process.stdout.write(`${path}\n`);
}
