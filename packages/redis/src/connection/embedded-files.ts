import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Where Redis 7 keeps its append-only file in parts, and where versions before it kept it in one. */
const kept = ["appendonlydir", "appendonly.aof"];

/** What `redis-server` and `valkey-server` say when a part of the append-only file is damaged or missing (aof.c, rdb.c). */
const damaged = [
  /bad file format reading the append/i,
  /\bAOF (base )?file\b|\bAOF manifest\b/i,
  /short read or OOM loading DB|error in RDB reading|wrong (RDB checksum|signature)/i,
  /append-only dir .*not a directory/i,
];
/** What other files would not mend. */
const elsewhere = /no space left|permission denied|read-only file system|input\/output error/i;

/** Whether a server that ended like this cannot read what it kept. */
export function saysDamaged(said: string): boolean {
  return !elsewhere.test(said) && damaged.some((pattern) => pattern.test(said));
}

/**
 * Puts away what the server kept, under a name at which people find it; what was put away before is removed, so that the folder
 * does not grow. Answers the new names.
 */
export function moveAside(dataDir: string): readonly string[] {
  return kept
    .map((name) => join(dataDir, name))
    .filter((path) => existsSync(path))
    .map((path) => {
      const aside = `${path}.damaged`;
      rmSync(aside, { recursive: true, force: true });
      renameSync(path, aside);
      return aside;
    });
}
