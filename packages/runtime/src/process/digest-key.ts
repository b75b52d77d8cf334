import { createHash, createHmac, createSecretKey, randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { KeyedDigest } from "@fleet-reloader/domain/source/mark";
import { makeFolder, unwritable } from "./data-dir.ts";

const keyBytes = 32;

/** Lower-case hexadecimal SHA-1: only to compare with what the peer wrote, never to write. */
export function sha1(bytes: Uint8Array): string {
  return createHash("sha1").update(bytes).digest("hex");
}

/**
 * HMAC-SHA-256, cut to 128 bit. The key id is a digest of the key, so that equal keys have equal ids everywhere.
 */
export function keyedDigest(key: Uint8Array): KeyedDigest {
  const secret = createSecretKey(key);
  const keyId = createHash("sha256").update("fleet-reloader key id").update(key).digest("hex").slice(0, 8);
  return {
    keyId,
    digest: (bytes) =>
      createHmac("sha256", secret).update(bytes).digest().subarray(0, 16).toString("base64url"),
  };
}

/**
 * The keys of a text, named for people by where it is: one of 64 hexadecimal characters a line, the current one first, older ones after it (they still
 * compare what was noted with them, so that a new key rolls nothing).
 */
export function readKeyring(content: string, where: string): Keyring {
  const lines = content
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const refuse = (problem: string) =>
    new Fault("config.invalid", `${where}: ${problem}; make one with: openssl rand -hex 32`);
  const keys = lines.map((line, at) => {
    if (!/^[0-9a-f]{64}$/i.test(line)) throw refuse(`key ${at + 1} is not 64 hexadecimal characters`);
    return keyedDigest(Buffer.from(line, "hex"));
  });
  const [current] = keys;
  if (current === undefined) throw refuse("it holds no key");
  return {
    current,
    ids: keys.map(({ keyId }) => keyId),
    find: (keyId) => keys.find((key) => key.keyId === keyId),
  };
}

/** The keys of `--mark-key-file`, or those of the data dir, made at the first start. */
export function loadKeyring(file: string, dataDir: string): Keyring {
  const own = join(dataDir, "mark.key");
  if (file === "") ensureKeyFile(own);
  const path = file || own;
  return readKeyring(readKeyFile(path), `--mark-key-file ${path}`);
}

/** The same where nothing may be made: undefined when no file is given and the data dir has none. */
export function findKeyring(file: string, dataDir: string): Keyring | undefined {
  const path = file || join(dataDir, "mark.key");
  if (file === "" && !existsSync(path)) return undefined;
  return readKeyring(readKeyFile(path), `--mark-key-file ${path}`);
}

/** The text of a new key, as a file of keys holds it. */
export function newMarkKey(): string {
  return `${randomBytes(keyBytes).toString("hex")}\n`;
}

/**
 * Makes the key file unless it is there. Two processes that start together end up with one key: that of the first to link. The
 * name of the draft is random, for in containers all processes have the same id: a draft of the same name, left by a start
 * that was killed, may be a second name of the key itself.
 */
function ensureKeyFile(file: string): void {
  if (existsSync(file)) return;
  const draft = `${file}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    makeFolder(dirname(file));
    writeFileSync(draft, newMarkKey(), { mode: 0o600, flag: "wx" });
    try {
      chmodSync(draft, 0o600);
      linkUnlessThere(draft, file);
    } finally {
      rmSync(draft);
    }
  } catch (error) {
    throw unwritable(dirname(file), error);
  }
}

function linkUnlessThere(draft: string, file: string): void {
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    throw new Fault(
      "config.invalid",
      `--mark-key-file ${file}: the file cannot be read (${why}); name a file of 64 hexadecimal characters a line`,
    );
  }
}
