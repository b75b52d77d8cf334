import { spawn } from "node:child_process";
import { linkSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { refusal } from "../fixture/refusal.ts";
import { keyedDigest, loadKeyring, sha1 } from "./digest-key.ts";

const keyA = "a1".repeat(32);
const keyB = "b2".repeat(32);

function temporaryDir(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "fr-key-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function keyFile(dir: string, content: string): string {
  const file = join(dir, "keys");
  writeFileSync(file, content);
  return file;
}

const bytes = Buffer.from("content");

describe("a keyed digest", () => {
  test("has 22 characters that need no quoting anywhere", () => {
    expect(keyedDigest(Buffer.from(keyA, "hex")).digest(bytes)).toMatch(/^[A-Za-z0-9_-]{22}$/);
  });

  test("equal keys have equal ids and digests, other keys others", () => {
    const [one, same, other] = [keyA, keyA, keyB].map((key) => keyedDigest(Buffer.from(key, "hex")));
    expect(same?.keyId).toBe(one?.keyId);
    expect(same?.digest(bytes)).toBe(one?.digest(bytes));
    expect(other?.keyId).not.toBe(one?.keyId);
    expect(other?.digest(bytes)).not.toBe(one?.digest(bytes));
  });

  test("the id is no part of the key", () => {
    expect(keyA).not.toContain(keyedDigest(Buffer.from(keyA, "hex")).keyId);
  });
});

test("SHA-1 is written as the peer writes it", () => {
  expect(sha1(Buffer.from("abc"))).toBe("a9993e364706816aba3e25717850c26c9cd0d89d");
});

describe("a key file", () => {
  test("the first key is the current one, all are found by their id", () => {
    using dir = temporaryDir();
    const keyring = loadKeyring(keyFile(dir.path, `# ours\r\n${keyA}\r\n\n  ${keyB.toUpperCase()}\n`), "");
    const [a, b] = [keyA, keyB].map((key) => keyedDigest(Buffer.from(key, "hex")).keyId);
    expect(keyring.current.keyId).toBe(a);
    expect(keyring.find(b ?? "")?.keyId).toBe(b);
    expect(keyring.find("00000000")).toBeUndefined();
  });

  test("a line that is no key is refused by its place, never by what is in it", () => {
    using dir = temporaryDir();
    const secret = `${keyB.slice(1)}g`;
    const file = keyFile(dir.path, `${keyA}\n${secret}\n`);
    const message = refusal(() => loadKeyring(file, ""));
    expect(message).toBe(
      `--mark-key-file ${file}: key 2 is not 64 hexadecimal characters; make one with: openssl rand -hex 32`,
    );
  });

  test("an empty one and a missing one are refused with the file's name and the mend", () => {
    using dir = temporaryDir();
    const empty = keyFile(dir.path, "# nothing yet\n");
    expect(refusal(() => loadKeyring(empty, ""))).toContain(`${empty}: it holds no key; make one with`);
    const missing = join(dir.path, "missing");
    expect(refusal(() => loadKeyring(missing, ""))).toContain(`${missing}: the file cannot be read (ENOENT)`);
  });
});

describe("the key of the data dir", () => {
  test("is made at the first start, for our eyes only, and stays", () => {
    using dir = temporaryDir();
    const home = join(dir.path, "deep/state");
    const first = loadKeyring("", home);
    expect(loadKeyring("", home).current.keyId).toBe(first.current.keyId);
    expect(readdirSync(home)).toEqual(["mark.key"]);
    expect(statSync(join(home, "mark.key")).mode & 0o777).toBe(0o600);
  });

  // In containers every process has the same id, so unfinished files have the same name.
  test("survives a start that was killed while it made the key", () => {
    using dir = temporaryDir();
    const first = loadKeyring("", dir.path);
    linkSync(join(dir.path, "mark.key"), join(dir.path, `mark.key.${process.pid}.tmp`));
    expect(loadKeyring("", dir.path).current.keyId).toBe(first.current.keyId);
  });

  test("a folder that cannot be one is refused under the flag that names it", () => {
    using dir = temporaryDir();
    const notADir = keyFile(dir.path, "");
    const message = refusal(() => loadKeyring("", notADir));
    expect(message).toContain(`--data-dir ${notADir}: cannot be written`);
    expect(message).toContain("name a folder this process may write to");
  });

  test("processes that start together end with one key", async () => {
    using dir = temporaryDir();
    const script = `import { loadKeyring } from ${JSON.stringify(new URL("digest-key.ts", import.meta.url).href)};
      process.stdout.write(loadKeyring("", process.argv[1]).current.keyId);`;
    const starts = Array.from({ length: 4 }, () =>
      text(spawn(process.execPath, ["--input-type=module", "-e", script, dir.path]).stdout),
    );
    const ids = await Promise.all(starts);
    expect(ids[0]).toMatch(/^[0-9a-f]{8}$/);
    expect(new Set(ids).size).toBe(1);
    expect(readdirSync(dir.path)).toEqual(["mark.key"]);
  });
});
