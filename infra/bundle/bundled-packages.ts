import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An npm package that is shipped. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** As its manifest says; undefined where it says none. */
  readonly license: string | undefined;
}

/** The npm packages that these files belong to, each version once, by name. */
export function packagesOf(root: string, files: Iterable<string>): readonly ShippedPackage[] {
  const folders = new Set<string>();
  for (const file of files) {
    const folder = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^./@][^/]*)\/(?!node_modules\/)/.exec(file)?.[1];
    if (folder !== undefined) folders.add(folder);
  }
  const found = [...folders].map((folder) =>
    shippedPackage(readFileSync(join(root, folder, "package.json"), "utf8")),
  );
  const unique = new Map(found.map((each) => [`${each.name}@${each.version}`, each]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

function shippedPackage(manifest: string): ShippedPackage {
  const { name, version, license }: { name: string; version: string; license?: unknown } =
    JSON.parse(manifest);
  return { name, version, license: typeof license === "string" ? license : undefined };
}
