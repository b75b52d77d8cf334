import { existsSync, lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** An installed package: where it really is, and the names under which its dependencies lie beside it. */
export interface InstalledPackage {
  readonly path: string;
  /** Links to what it needs at run time. */
  readonly links: readonly string[];
}

/**
 * The packages that these links lead to, with all they need at run time, exactly as installed from the lock file: pnpm puts each
 * package beside links to its dependencies, so copying both under the same names keeps every import as it was.
 */
export function installedClosure(
  links: readonly string[],
  usedPeers: readonly string[],
): readonly InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const waiting = [...links];
  for (let link = waiting.pop(); link !== undefined; link = waiting.pop()) {
    const path = realpathSync(link);
    if (found.has(path)) continue;
    const needed = neededBy(path, usedPeers);
    found.set(path, { path, links: needed });
    waiting.push(...needed);
  }
  return [...found.values()];
}

/** Dependencies, and peers: of the optional ones those that are used, for compilers and the like are among them. */
function neededBy(path: string, usedPeers: readonly string[]): readonly string[] {
  const manifest: unknown = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const optional = keysOf(manifest, "peerDependenciesMeta");
  const peers = keysOf(manifest, "peerDependencies").filter(
    (name) => usedPeers.includes(name) || !optional.includes(name),
  );
  const folder = siblingsOf(path);
  return [...keysOf(manifest, "dependencies"), ...peers]
    .map((name) => join(folder, name))
    .filter((link) => existsSync(link) && lstatSync(link).isSymbolicLink());
}

/** The `node_modules` that a package lies in, with or without a scope in between. */
function siblingsOf(path: string): string {
  const parent = dirname(path);
  return basename(parent) === "node_modules" ? parent : dirname(parent);
}

function keysOf(manifest: unknown, field: string): readonly string[] {
  if (typeof manifest !== "object" || manifest === null) return [];
  const value: unknown = Object.entries(manifest).find(([name]) => name === field)?.[1];
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
