import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ImageSettings } from "../docker/image-settings.ts";
import { type TarEntry, tarOf } from "./tar.ts";

export interface ImageLayer {
  readonly name: string;
  readonly entries: readonly TarEntry[];
}

export interface ImageDescription {
  readonly layers: readonly ImageLayer[];
  readonly settings: ImageSettings;
  readonly version: string;
  /** As the image specification names it: amd64, arm64. */
  readonly architecture: string;
}

/** No build has a time of its own: equal sources give equal bytes. */
const created = "1970-01-01T00:00:00Z";
const media = "application/vnd.oci.image";

interface Blob {
  readonly digest: string;
  readonly bytes: Buffer;
}

/** An OCI image layout (image-spec 1.1) as one tar archive, as `skopeo`, `podman load`, `ctr image import` and `docker load` read it. */
export async function ociArchive(image: ImageDescription): Promise<Buffer> {
  const layers = await Promise.all(image.layers.map(layerOf));
  const config = blobOf(json(configOf(image, layers)));
  const manifest = blobOf(
    json({
      schemaVersion: 2,
      mediaType: `${media}.manifest.v1+json`,
      config: descriptor(`${media}.config.v1+json`, config),
      layers: layers.map(({ blob }) => descriptor(`${media}.layer.v1.tar+gzip`, blob)),
    }),
  );
  const index = json({
    schemaVersion: 2,
    mediaType: `${media}.index.v1+json`,
    manifests: [
      {
        ...descriptor(`${media}.manifest.v1+json`, manifest),
        platform: { architecture: image.architecture, os: "linux" },
        annotations: {
          "org.opencontainers.image.ref.name": image.version,
          "io.containerd.image.name": `fleet-reloader:${image.version}`,
        },
      },
    ],
  });
  const blobs = [...layers.map(({ blob }) => blob), config, manifest];
  return tarOf([
    folder("blobs"),
    folder("blobs/sha256"),
    file("oci-layout", json({ imageLayoutVersion: "1.0.0" })),
    file("index.json", index),
    ...blobs.map(({ bytes, digest }) => file(`blobs/${digest.replace(":", "/")}`, bytes)),
  ]);
}

interface PackedLayer {
  readonly name: string;
  readonly blob: Blob;
  /** Digest of the layer before it was packed. */
  readonly diffId: string;
}

async function layerOf({ name, entries }: ImageLayer): Promise<PackedLayer> {
  const plain = tarOf(entries);
  const packed = await promisify(gzip)(plain, { level: 6 });
  return { name, blob: blobOf(packed), diffId: digestOf(plain) };
}

function configOf(
  { architecture, settings, version }: ImageDescription,
  layers: readonly PackedLayer[],
): object {
  const { entrypoint, env, ports, user } = settings;
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: user,
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      Entrypoint: entrypoint,
      ExposedPorts: Object.fromEntries(ports.map((port) => [`${port}/tcp`, {}])),
      WorkingDir: "/",
      Labels: {
        "org.opencontainers.image.title": "fleet-reloader",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "Apache-2.0",
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ name }) => ({ created, created_by: `layer ${name}` })),
  };
}

function descriptor(mediaType: string, { bytes, digest }: Blob) {
  return { mediaType, digest, size: bytes.length };
}

function blobOf(bytes: Buffer): Blob {
  return { digest: digestOf(bytes), bytes };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function file(path: string, content: Buffer): TarEntry {
  return { path, type: "file", mode: 0o644, owner: 0, content };
}

function folder(path: string): TarEntry {
  return { path, type: "folder", mode: 0o755, owner: 0, content: Buffer.alloc(0) };
}
