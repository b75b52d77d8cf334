import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { chart, rendered, root } from "./helm.ts";
import type { Manifest } from "./manifest.ts";

const manifestsFolder = "infra/manifests";
/** Values of the rendering, in a file of their own: whoever renders for themselves begins with a copy of it. */
const valuesFile = `${manifestsFolder}/values.yaml`;
const plainPath = `${manifestsFolder}/fleet-reloader.yaml`;
const basePath = "infra/kustomize/base/fleet-reloader.yaml";
/** The committed manifests. */
export const manifestPaths: readonly string[] = [plainPath, basePath];

/** What is committed for people without Helm: path in the repository → text. */
export async function renderedManifests(): Promise<ReadonlyMap<string, string>> {
  const values: unknown = parse(readFileSync(join(root, valuesFile), "utf8"));
  const objects = (
    await rendered({ release: "fleet-reloader", namespace: "fleet-reloader", values: Object(values) })
  ).map(withoutHelm);
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "fleet-reloader" } };
  return new Map([
    [plainPath, `${plainHead}${streamOf([namespace, ...objects])}`],
    [basePath, `${head}${streamOf(objects)}`],
  ]);
}

/** Whether a committed manifest was rendered from the chart, the values and this file as they are. Needs no Helm to be told. */
export function isRendered(path: string): boolean {
  const file = join(root, path);
  return existsSync(file) && readFileSync(file, "utf8").includes(`inputs ${inputsDigest()}.`);
}

/** Of all inputs: a rendering that carries another one is old. */
function inputsDigest(): string {
  const hash = createHash("sha256");
  for (const path of [join(root, valuesFile), import.meta.filename]) hash.update(readFileSync(path));
  const files = readdirSync(chart, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".md") && entry.name !== "NOTES.txt")
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(`${file.slice(chart.length)}\n`).update(readFileSync(file));
  return hash.digest("hex").slice(0, 16);
}

const head = `# Rendered from infra/helm/fleet-reloader by \`./dev generate\`, inputs ${inputsDigest()}.\n`;
const plainHead = `${head}# Before the first apply, create the key of the digests on workloads, and keep it:
#   kubectl create namespace fleet-reloader
#   kubectl -n fleet-reloader create secret generic fleet-reloader-mark-key --from-literal=mark.key="$(openssl rand -hex 32)"
# Then write the name of your image instead of \`fleet-reloader:…\`.
`;

/** Nobody manages these by Helm, so they do not say so. */
function withoutHelm(object: Manifest): Manifest {
  const clean = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clean);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => (helmLabels.has(key) ? [] : [[key, clean(inner)]])),
    );
  };
  return Object.assign({}, object, clean(object));
}

const helmLabels: ReadonlySet<string> = new Set(["helm.sh/chart", "app.kubernetes.io/managed-by"]);

function streamOf(objects: readonly object[]): string {
  return objects.map((object) => stringify(object, { lineWidth: 0, version: "1.1" })).join("---\n");
}
