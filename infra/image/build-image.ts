import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { packagesOf, type ShippedPackage } from "../bundle/bundled-packages.ts";
import { readImageSettings } from "../docker/image-settings.ts";
import { sharedLibraries } from "../docker/shared-libraries.ts";
import { type LayerName, layerNames, layersOf } from "./layers.ts";
import { ociArchive } from "./oci-layout.ts";
import { type Component, spdxDocument } from "./sbom.ts";
import type { TarEntry } from "./tar.ts";

/**
 * `node build-image.ts [--output FILE]`: writes the image as an OCI archive, without a container engine, and its bill of materials beside
 * it. It has the content of the Dockerfile's image, from the Node, Redis and libraries of the machine at hand.
 */
const usage = `usage: ./dev image [--output FILE]

  Writes the image as an OCI archive (image layout in a tar) and its bill of materials (SPDX). It needs no container engine.

  --output FILE  default: dist/fleet-reloader.oci.tar

  Load it:  podman load -i FILE    or    ctr image import FILE
  Push it:  skopeo copy oci-archive:FILE docker://REGISTRY/fleet-reloader:VERSION
`;
const repository = join(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

const { output, help } = options();
if (help) process.stdout.write(usage);
else await build(resolve(output));

function options(): { readonly output: string; readonly help: boolean } {
  try {
    const standard = join(repository, "dist/fleet-reloader.oci.tar");
    const { values } = parseArgs({
      options: {
        output: { type: "string", default: standard },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return values;
  } catch (error) {
    process.stderr.write(`image: ${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exit(2);
  }
}

async function build(target: string): Promise<void> {
  const { version }: { version: string } = JSON.parse(read("package.json"));
  const folder = mkdtempSync(join(tmpdir(), "fr-image-"));
  try {
    const root = join(folder, "root");
    execFileSync(process.execPath, [join(repository, "infra/docker/build-rootfs.ts"), root], {
      stdio: "pipe",
    });
    const layers = layersOf(root, sharedLibraries(process.execPath));
    const sbom = spdxDocument(version, components(root, layers));
    const archive = await ociArchive({
      layers: layerNames.map((name) => ({ name, entries: withSbom(name, layers.get(name) ?? [], sbom) })),
      settings: readImageSettings(read("infra/docker/Dockerfile")),
      version,
      architecture: architectures[process.arch] ?? process.arch,
    });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, archive);
    writeFileSync(`${target}.spdx.json`, sbom);
    const digest = createHash("sha256").update(archive).digest("hex");
    process.stdout.write(
      `${target}\n  ${Math.round(archive.length / 1e6)} MB, sha256 ${digest}\n${target}.spdx.json\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withSbom(name: LayerName, entries: readonly TarEntry[], sbom: string): readonly TarEntry[] {
  if (name !== "fleet-reloader") return entries;
  const file = {
    path: "app/sbom.spdx.json",
    type: "file",
    mode: 0o644,
    owner: 0,
    content: Buffer.from(sbom),
  } as const;
  return [...entries, file];
}

function components(root: string, layers: ReturnType<typeof layersOf>): readonly Component[] {
  const shipped = [...layers.values()].flat().map(({ path }) => path);
  const npm = [...bundledPackages(), ...packagesOf(root, shipped)];
  const unique = new Map(npm.map((each) => [`${each.name}@${each.version}`, each]));
  const libraries = shipped.filter((path) => /\.so(\.\d+)*$/.test(path)).map(libraryOf);
  return [
    { name: "node", version: process.versions.node, license: "MIT", source: "generic" },
    { name: "redis-server", version: redisVersion(root), license: undefined, source: "generic" },
    ...new Map(libraries.map((each) => [each.name, each])).values(),
    ...[...unique.values()].map((each) => ({ ...each, source: "npm" as const })),
  ];
}

/** What the bundles hold, as the bundler wrote it down. */
function bundledPackages(): readonly ShippedPackage[] {
  const list = "infra/bundle/dist/packages.json";
  if (!existsSync(join(repository, list)))
    throw new Error(`${list} is missing: run node infra/bundle/bundle.ts first`);
  return JSON.parse(read(list));
}

/** The version of a library is in its name, and nowhere else that every system has. */
function libraryOf(path: string): Component {
  const [, name = path, version = ""] = /([^/]+?)\.so\.?([\d.]*)$/.exec(path) ?? [];
  return { name, version: version === "" ? "0" : version, license: undefined, source: "generic" };
}

function redisVersion(root: string): string {
  const says = execFileSync(join(root, "usr/bin/redis-server"), ["--version"], { encoding: "utf8" });
  return /v=(\S+)/.exec(says)?.[1] ?? "unknown";
}
