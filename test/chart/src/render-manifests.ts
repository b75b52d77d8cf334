import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./helm.ts";
import { isRendered, manifestPaths, renderedManifests } from "./rendered-manifests.ts";

/** Writes the manifests for people without Helm. Those that are current need no Helm; a test tells when they are old. */
if (!manifestPaths.every(isRendered))
  for (const [path, text] of await renderedManifests()) {
    writeFileSync(join(root, path), text);
    console.log(path);
  }
