import { execFileSync } from "node:child_process";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { gunzipSync } from "node:zlib";
import { dataFolder } from "./data-folder.ts";

const root = join(import.meta.dirname, "../../../..");
const bundleFiles = [
  "services/*/dist/bundle.mjs",
  "packages/dashboard/dist/**/*.{mjs,js,css}",
  "infra/docker/dist/main.mjs",
];

/** What a release consists of, as `./dev bundle` and `./dev image` make it. */
export interface Shipped {
  readonly bundles: readonly { readonly file: string; readonly bytes: number }[];
  /** npm packages that something of is in a bundle. */
  readonly bundledPackages: number;
  /** `packedBytes` is what a registry stores and a node pulls. */
  readonly layers: readonly { readonly name: string; readonly bytes: number; readonly packedBytes: number }[];
}

export function readShipped(): Shipped {
  const files = globSync(bundleFiles, { cwd: root }).toSorted();
  const packages: readonly unknown[] = readJson(join(root, "infra/bundle/dist/packages.json"));
  return {
    bundles: files.map((file) => ({ file, bytes: statSync(join(root, file)).size })),
    bundledPackages: packages.length,
    layers: imageLayers(),
  };
}

interface ImageManifest {
  readonly config: { readonly digest: string };
  readonly layers: readonly { readonly digest: string; readonly size: number }[];
}

function imageLayers(): Shipped["layers"] {
  using folder = dataFolder();
  const archive = join(folder.path, "image.tar");
  execFileSync(process.execPath, [join(root, "infra/image/build-image.ts"), "--output", archive], {
    stdio: "pipe",
  });
  execFileSync("tar", ["-xf", archive, "-C", folder.path]);
  const blob = (digest: string) => join(folder.path, "blobs", digest.replace(":", "/"));
  const index: { readonly manifests: readonly { readonly digest: string }[] } = readJson(
    join(folder.path, "index.json"),
  );
  const manifest: ImageManifest = readJson(blob(index.manifests[0]?.digest ?? ""));
  const config: { readonly history: readonly { readonly created_by: string }[] } = readJson(
    blob(manifest.config.digest),
  );
  return manifest.layers.map(({ digest, size }, at) => ({
    name: config.history[at]?.created_by ?? "layer",
    bytes: gunzipSync(readFileSync(blob(digest))).length,
    packedBytes: size,
  }));
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, "utf8"));
}
