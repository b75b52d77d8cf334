import { createHash, createHmac, createSecretKey, randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Fault } from "@fleet-reloader/domain/fault";
import type { Keyring } from "@fleet-reloader/domain/source/keyring";
import type { KeyedDigest } from "@fleet-reloader/domain/source/mark";
import { makeFolder, unwritable } from "./data-dir.ts";

const keyBytes = 32;

/** Lower-case hexadecimal SHA-1, only to compare with texts of the peer, never to write. */
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
 * Parses a keyring; `where` names its place for people. One key of 64 hexadecimal characters per line, the current one first. Older ones after it
 * still compare the records made with them, so that a new key rolls nothing.
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

/** The keys of `--mark-key-file`, or those of the data dir, which the first start creates. */
export function loadKeyring(file: string, dataDir: string): Keyring {
  const own = join(dataDir, "mark.key");
  if (file === "") ensureKeyFile(own);
  const path = file || own;
  return readKeyring(readKeyFile(path), `--mark-key-file ${path}`);
}

/** The same without creating a key: undefined when no file is given and the data dir has none. */
export function findKeyring(file: string, dataDir: string): Keyring | undefined {
  const path = file || join(dataDir, "mark.key");
  if (file === "" && !existsSync(path)) return undefined;
  return readKeyring(readKeyFile(path), `--mark-key-file ${path}`);
}

/** The text of a new key, as a line of a key file. */
export function newMarkKey(): string {
  return `${randomBytes(keyBytes).toString("hex")}\n`;
}

/**
 * Creates the key file if it is missing. Two processes that start together end up with one key: the first to link wins. The name of the draft is
 * random, because all processes in containers have the same id: a draft of that name, left by a killed start, may be a second name of the key
 * itself.
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
