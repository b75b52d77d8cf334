import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@fleet-reloader/testkit/until";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readImageSettings } from "../../../infra/docker/image-settings.ts";
import { layersOf } from "../../../infra/image/layers.ts";
import { ociArchive } from "../../../infra/image/oci-layout.ts";
import { tarOf } from "../../../infra/image/tar.ts";
import { root as repository } from "./helm.ts";
import { startContainer } from "./image/container.ts";
import { type ReadImage, readOciArchive, readTar, unpack } from "./image/oci-reader.ts";
import { run } from "./tools/run.ts";

const folder = mkdtempSync(join(tmpdir(), "fr-archive-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = readImageSettings(readFileSync(join(repository, "infra/docker/Dockerfile"), "utf8"));

/** A small root file system, written in this order and at this time. */
function smallRoot(name: string, order: readonly string[], time: Date): string {
  const root = join(folder, name);
  for (const path of order) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), `content of ${path}`);
    utimesSync(join(root, path), time, time);
  }
  symlinkSync(`${"far/".repeat(40)}away`, join(root, "app/link"));
  return root;
}

describe("an archive of a small image", () => {
  const deep = `app/${"folder/".repeat(30)}file`;
  const paths = ["usr/bin/node", "usr/bin/redis-server", "lib/libc.so.6", "lib/libjemalloc.so.2", deep];
  const archived = async (root: string) => {
    const layers = [...layersOf(root, ["/lib/libc.so.6"])].map(([name, entries]) => ({ name, entries }));
    return await ociArchive({ layers, settings, version: "1", architecture: "amd64" });
  };

  test("has equal bytes whenever and in whatever order its files were written", async () => {
    const one = await archived(smallRoot("one", paths, new Date(0)));
    const two = await archived(smallRoot("two", paths.toReversed(), new Date(1e12)));
    expect(one.equals(two)).toBe(true);
  });

  test("has another layer of ours only, when a file of ours changes", async () => {
    const root = smallRoot("three", paths, new Date(0));
    const before = readOciArchive(await archived(root)).layers;
    writeFileSync(join(root, deep), "other content");
    const after = readOciArchive(await archived(root)).layers;
    expect(after.map((layer, at) => JSON.stringify(layer) === JSON.stringify(before[at]))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("puts each file, also links and long names, into the layer it changes with", async () => {
    const root = smallRoot("four", paths, new Date(0));
    const [node = [], redis = [], ours = []] = readOciArchive(await archived(root)).layers.map((layer) =>
      layer.filter(({ type }) => type !== "folder").map(({ path }) => path),
    );
    expect(node.toSorted()).toEqual(["lib/libc.so.6", "usr/bin/node"]);
    expect(redis.toSorted()).toEqual(["lib/libjemalloc.so.2", "usr/bin/redis-server"]);
    expect(ours.toSorted()).toEqual([deep, "app/link"].toSorted());
    const links = readOciArchive(await archived(root))
      .layers.flat()
      .filter(({ type }) => type === "link");
    expect(links.map(({ aim }) => aim)).toEqual([`${"far/".repeat(40)}away`]);
  });

  test("is refused by a reader when a byte of a layer is another one", async () => {
    const archive = await archived(smallRoot("five", paths, new Date(0)));
    const layer = readTar(archive).find(({ content }) => content[0] === 0x1f && content[1] === 0x8b);
    if (layer === undefined) throw new Error("there is no layer");
    layer.content[layer.content.length - 1] = (layer.content.at(-1) ?? 0) ^ 1;
    expect(() => readOciArchive(archive)).toThrow("is not what it says");
  });

  test("is read by tar, too", async () => {
    const file = join(folder, "small.tar");
    writeFileSync(file, tarOf([...layersOf(smallRoot("six", paths, new Date(0)), []).values()].flat()));
    const { code, errors, output } = await run("tar", ["tf", file]);
    expect(code, errors).toBe(0);
    expect(output.split("\n")).toContain(deep);
  });
});

describe("the archive of ./dev image", () => {
  const file = join(folder, "fleet-reloader.tar");
  const root = join(folder, "root");
  let image: ReadImage;
  beforeAll(async () => {
    const build = [join(repository, "infra/image/build-image.ts"), "--output", file];
    const { code, errors } = await run(process.execPath, build);
    if (code !== 0) throw new Error(errors);
    image = readOciArchive(readFileSync(file));
    unpack(image.layers, root);
  }, 1_200_000);

  test("is an image of the Dockerfile's settings, run by nobody", () => {
    expect(image.config.User).toBe("65534:65534");
    expect(image.config.Entrypoint).toEqual(settings.entrypoint);
    expect(image.config.Env).toContain("NODE_ENV=production");
    expect(Object.keys(image.config.ExposedPorts)).toEqual(["9090/tcp"]);
    expect(image.platform.os).toBe("linux");
  });

  test("has no time of its own, and files of root that nobody else may write", () => {
    const entries = image.layers.flat();
    expect(entries.length).toBeGreaterThan(100);
    expect(entries.filter(({ mtime }) => mtime !== 0)).toEqual([]);
    const owned = entries.filter(({ owner }) => owner !== 0).map(({ path }) => path);
    expect(owned).toEqual(["var/lib/fleet-reloader"]);
    const writable = entries.filter(({ mode, type }) => type !== "link" && (mode & 0o022) !== 0);
    expect([...new Set(writable.map(({ path }) => path))]).toEqual(["tmp"]);
  });

  test("names what it consists of, in the image and beside it", () => {
    const beside = readFileSync(`${file}.spdx.json`, "utf8");
    expect(readFileSync(join(root, "app/sbom.spdx.json"), "utf8")).toBe(beside);
    const document: { spdxVersion: string; packages: readonly { name: string; versionInfo: string }[] } =
      JSON.parse(beside);
    expect(document.spdxVersion).toBe("SPDX-2.3");
    const versions = new Map(document.packages.map(({ name, versionInfo }) => [name, versionInfo]));
    expect(versions.get("node")).toBe(process.versions.node);
    for (const name of ["redis-server", "bullmq", "undici", "express", "libc", "fleet-reloader"])
      expect(versions.get(name), name).toMatch(/^\d/);
    // Machines differ, and nothing tells where it was built.
    expect(beside).not.toContain(repository);
  });

  test.each(["watcher", "worker", "dashboard"])(
    "starts as %s, as nobody on a read-only root",
    async (service) => {
      await using container = startContainer({ root, settings, args: [service, "--version"] });
      expect(await container.ended, container.output()).toBe(0);
      await until("it says so", () => container.output().includes(`fleet-reloader ${service} `));
    },
  );
});
