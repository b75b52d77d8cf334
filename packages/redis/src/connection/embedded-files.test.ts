import { expect, test } from "vitest";
import { saysDamaged } from "./embedded-files.ts";

/** Output of redis-server 7.0.15 after parts of its files were cut, overwritten or removed. */
test.each([
  "Bad file format reading the append only file appendonly.aof.2.base.rdb: make a backup of your AOF file",
  "Short read or OOM loading DB. Unrecoverable error, aborting now.",
  "Internal error in RDB reading offset 0, function at rdb.c:3225 -> RDB CRC error",
  "Unable to obtain the AOF file appendonly.aof.2.incr.aof length. stat: No such file or directory",
  "Invalid AOF manifest file format",
  "Found an empty AOF manifest",
  "Can't open or create append-only dir appendonlydir: Not a directory",
])("%s", (said) => expect(saysDamaged(`1:M 23 Nov 2026 00:17:20.092 # ${said}`)).toBe(true));

test.each([
  "Can't open or create append-only dir appendonlydir: Permission denied",
  "Error writing to the AOF file: No space left on device",
  "Failed opening Unix socket: bind: Address already in use",
  "User requested shutdown...",
])("other files do not mend: %s", (said) => expect(saysDamaged(said)).toBe(false));
