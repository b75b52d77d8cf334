import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** The append-only file: a folder of parts in Redis 7, one file in older versions. */
const kept = ["appendonlydir", "appendonly.aof"];

/** What `redis-server` and `valkey-server` say when a part of the append-only file is damaged or missing (aof.c, rdb.c). */
const damaged = [
  /bad file format reading the append/i,
  /\bAOF (base )?file\b|\bAOF manifest\b/i,
  /short read or OOM loading DB|error in RDB reading|wrong (RDB checksum|signature)/i,
  /append-only dir .*not a directory/i,
];
/** Problems that other files would not solve. */
const elsewhere = /no space left|permission denied|read-only file system|input\/output error/i;

/** Whether the output of a server that ended says that it cannot read its files. */
export function saysDamaged(said: string): boolean {
  return !elsewhere.test(said) && damaged.some((pattern) => pattern.test(said));
}

/**
 * Moves the files of the server aside, under names that people recognize, and removes what was moved aside before, so that the folder does not
 * grow. Returns the new names.
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
