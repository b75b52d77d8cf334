import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./helm.ts";
import { renderedManifests } from "./rendered-manifests.ts";

/** Writes the manifests for people without Helm; a test tells when they are old. */
for (const [path, text] of await renderedManifests()) {
  writeFileSync(join(root, path), text);
  console.log(path);
}
