import { createHash } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

/** An entry as a reader of tar archives sees it. */
export interface ReadEntry {
  readonly path: string;
  readonly type: "file" | "folder" | "link";
  readonly mode: number;
  readonly owner: number;
  readonly mtime: number;
  readonly aim: string;
  readonly content: Buffer;
}

const blockSize = 512;
const types: Readonly<Record<string, ReadEntry["type"]>> = { "0": "file", "2": "link", "5": "folder" };

/** The entries of an archive; throws where a sum is wrong or a type is unknown. */
export function readTar(archive: Buffer): readonly ReadEntry[] {
  const entries: ReadEntry[] = [];
  let extended: Readonly<Record<string, string>> = {};
  for (let at = 0; at < archive.length && archive[at] !== 0; ) {
    const head = archive.subarray(at, at + blockSize);
    checkSum(head);
    const size = number(head, 124, 12);
    const content = archive.subarray(at + blockSize, at + blockSize + size);
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
    const flag = text(head, 156, 1);
    if (flag === "x") {
      extended = Object.fromEntries(
        [...content.toString("utf8").matchAll(/\d+ (\w+)=([^\n]*)\n/g)].map(([, key, value]) => [key, value]),
      );
      continue;
    }
    const type = types[flag];
    if (type === undefined) throw new Error(`the archive has an entry of type ${flag}`);
    entries.push({
      path: (extended.path ?? text(head, 0, 100)).replace(/\/$/, ""),
      type,
      mode: number(head, 100, 8),
      owner: number(head, 108, 8),
      mtime: number(head, 136, 12),
      aim: extended.linkpath ?? text(head, 157, 100),
      content,
    });
    extended = {};
  }
  return entries;
}

function checkSum(head: Buffer): void {
  const blank = Buffer.from(head).fill(" ", 148, 156);
  const sum = blank.reduce((total, byte) => total + byte, 0);
  if (sum !== number(head, 148, 8)) throw new Error("a header of the archive has a wrong sum");
}

function text(head: Buffer, at: number, length: number): string {
  return head.toString("utf8", at, at + length).replace(/\0.*$/s, "");
}

function number(head: Buffer, at: number, length: number): number {
  return Number.parseInt(text(head, at, length).trim() || "0", 8);
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface ReadImage {
  readonly platform: { readonly architecture: string; readonly os: string };
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly ExposedPorts: Readonly<Record<string, object>>;
  };
  readonly layers: readonly (readonly ReadEntry[])[];
}

/** The image in an OCI archive, by the image specification: each blob has its size and digest, each layer its diff id. */
export function readOciArchive(archive: Buffer): ReadImage {
  const files = new Map(readTar(archive).map(({ path, content }) => [path, content]));
  const jsonOf = (bytes: Buffer | undefined) => JSON.parse((bytes ?? Buffer.from("null")).toString("utf8"));
  const blob = ({ digest, size }: Descriptor): Buffer => {
    const bytes = files.get(`blobs/${digest.replace(":", "/")}`);
    if (bytes?.length !== size || digestOf(bytes) !== digest)
      throw new Error(`blob ${digest} is not what it says`);
    return bytes;
  };
  if (jsonOf(files.get("oci-layout"))?.imageLayoutVersion !== "1.0.0") throw new Error("no OCI image layout");
  const index: { manifests: readonly (Descriptor & Pick<ReadImage, "platform">)[] } = jsonOf(
    files.get("index.json"),
  );
  const [only, ...others] = index.manifests;
  if (only === undefined || others.length > 0) throw new Error("a loader asks which of the images is meant");
  const manifest: { config: Descriptor; layers: readonly Descriptor[] } = jsonOf(blob(only));
  const { config, rootfs }: Pick<ReadImage, "config"> & { rootfs: { diff_ids: readonly string[] } } = jsonOf(
    blob(manifest.config),
  );
  const layers = manifest.layers.map((layer, at) => {
    const plain = gunzipSync(blob(layer));
    if (digestOf(plain) !== rootfs.diff_ids[at]) throw new Error(`layer ${at} has another diff id`);
    return readTar(plain);
  });
  return { platform: only.platform, config, layers };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Unpacks the layers one over the other, as a container engine does; owners only where we may set them. */
export function unpack(layers: ReadImage["layers"], root: string): void {
  const isRoot = process.getuid?.() === 0;
  for (const { aim, content, mode, owner, path, type } of layers.flat()) {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    if (type === "folder") mkdirSync(full, { recursive: true });
    else rmSync(full, { force: true });
    if (type === "file") writeFileSync(full, content);
    if (type === "link") symlinkSync(aim, full);
    else chmodSync(full, mode);
    if (isRoot && type !== "link") chownSync(full, owner, owner);
  }
}
