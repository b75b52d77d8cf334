import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TarEntry } from "./tar.ts";

export const layerNames = ["node", "redis", "fleet-reloader"] as const;
export type LayerName = (typeof layerNames)[number];

/** `nobody`, who runs the product and owns its data. */
const nobody = 65_534;
const dataFolder = "var/lib/fleet-reloader";
/** Folders that are not simply readable by all. */
const folderModes: Readonly<Record<string, number>> = { tmp: 0o1777, [dataFolder]: 0o700 };

/**
 * The files of a root file system by layer: what changes with Node, with Redis, and with each build of ours. Owners and modes follow from
 * the paths, so that it does not matter who builds the image and with which umask.
 *
 * @param nodeLibraries the libraries that Node is linked against, as paths.
 */
export function layersOf(
  root: string,
  nodeLibraries: readonly string[],
): ReadonlyMap<LayerName, readonly TarEntry[]> {
  const ofNode = new Set(["usr/bin/node", ...nodeLibraries.map((path) => path.replace(/^\//, ""))]);
  const entries = entriesOf(root, "");
  const folders = new Map(entries.flatMap((each) => (each.type === "folder" ? [[each.path, each]] : [])));
  const layers = Map.groupBy(entries, ({ path, type }) => layerOf(path, type, ofNode));
  return new Map(layerNames.map((name) => [name, withFolders(layers.get(name) ?? [], folders)]));
}

function layerOf(path: string, type: TarEntry["type"], ofNode: ReadonlySet<string>): LayerName {
  if (ofNode.has(path)) return "node";
  const isLibrary = /^(usr\/)?lib(32|64)?\//.test(path);
  // A folder of libraries comes with what is in it.
  return path === "usr/bin/redis-server" || (isLibrary && type !== "folder") ? "redis" : "fleet-reloader";
}

/** With the folders above each entry: without them, unpacking one layer alone would invent them. */
function withFolders(
  entries: readonly TarEntry[],
  folders: ReadonlyMap<string, TarEntry>,
): readonly TarEntry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let above = dirname(path); above !== "."; above = dirname(above)) {
      const folder = folders.get(above);
      if (folder !== undefined) all.set(above, folder);
    }
  }
  return [...all.values()];
}

function entriesOf(root: string, folder: string): readonly TarEntry[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = folder === "" ? name : `${folder}/${name}`;
    const entry = entryOf(root, path);
    return entry.type === "folder" ? [entry, ...entriesOf(root, path)] : [entry];
  });
}

function entryOf(root: string, path: string): TarEntry {
  const full = join(root, path);
  const stats = lstatSync(full);
  const owner = path === dataFolder || path.startsWith(`${dataFolder}/`) ? nobody : 0;
  if (stats.isSymbolicLink())
    return { path, type: "link", mode: 0o777, owner, content: Buffer.from(readlinkSync(full)) };
  if (stats.isDirectory())
    return { path, type: "folder", mode: folderModes[path] ?? 0o755, owner, content: Buffer.alloc(0) };
  const mode = (stats.mode & 0o100) === 0 ? 0o644 : 0o755;
  return { path, type: "file", mode, owner, content: readFileSync(full) };
}
