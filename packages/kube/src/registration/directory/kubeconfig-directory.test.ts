import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { canary, kubeconfigOf, traces } from "@fleet-reloader/testkit/beds/credentials";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { followFolder, withoutHints } from "../fixture/followed-folder.ts";
import type { WatchFolder } from "./folder-hints.ts";

const one = kubeconfigOf({ admin: {} });
const two = kubeconfigOf({ blue: {}, green: {} });

describe("a folder of kubeconfigs", () => {
  test("has a cluster for each context, named after its file", async () => {
    await using clusters = followFolder();
    clusters.write("a.yaml", one);
    clusters.write("b.kubeconfig", one);
    clusters.write("c.kubeconfig.yml", two);
    clusters.write(".d.yaml", one);
    clusters.write("e.yaml~", one);
    clusters.write("readme.txt", canary);
    mkdirSync(join(clusters.folder, "f.yaml"));
    await clusters.become("a usable", "b usable", "c+blue usable", "c+green usable");
    expect(clusters.provider.notReady).toEqual([]);
  });

  test("without any says so once", async () => {
    await using clusters = followFolder();
    await clusters.become();
    expect(clusters.told).toEqual([[]]);
  });

  test("whose files share a stem tells them apart", async () => {
    await using clusters = followFolder();
    clusters.write("a.yaml", one);
    clusters.write("a.yml", one);
    await clusters.become("a.yaml usable", "a.yml usable");
  });

  test.each([
    ["with hints", undefined],
    ["without", withoutHints],
  ])("shows what comes, changes and goes, %s", async (_how, watch) => {
    await using clusters = followFolder(watch === undefined ? {} : { watch });
    clusters.write("a.yaml", one);
    await clusters.become("a usable");
    clusters.write("b.yaml", one);
    await clusters.become("a usable", "b usable");
    clusters.write("new", two);
    renameSync(join(clusters.folder, "new"), join(clusters.folder, "a.yaml"));
    await clusters.become("a+blue usable", "a+green usable", "b usable");
    unlinkSync(join(clusters.folder, "a.yaml"));
    await clusters.become("b usable");
  });

  test("says nothing when nothing has changed, and a new version when credentials have", async () => {
    await using clusters = followFolder();
    clusters.write("a.yaml", one);
    await clusters.become("a usable");
    const before = clusters.told.length;
    clusters.write("a.yaml", `${one}\n`);
    clusters.write("ignored.txt", "x");
    await clusters.lookedAgain();
    expect(clusters.told.length).toBe(before);
    const versionOf = () => {
      const access = clusters.told.at(-1)?.find(({ name }) => name === "a")?.access;
      return access?.type === "usable" ? access.version : undefined;
    };
    const [version, id] = [versionOf(), clusters.told.at(-1)?.[0]?.id];
    clusters.write("a.yaml", kubeconfigOf({ admin: { user: { token: `${canary}-2` } } }));
    await until("the version is another", () => versionOf() !== version);
    expect(clusters.told.at(-1)?.[0]?.id).toBe(id);
  });

  test("that a volume swaps by a link shows the new content", async () => {
    await using clusters = followFolder();
    const versions = (name: string, content: string): void => {
      mkdirSync(join(clusters.folder, name));
      writeFileSync(join(clusters.folder, name, "a.yaml"), content);
    };
    versions("..2026_01", one);
    symlinkSync("..2026_01", join(clusters.folder, "..data"));
    symlinkSync("..data/a.yaml", join(clusters.folder, "a.yaml"));
    await clusters.become("a usable");
    versions("..2026_02", two);
    symlinkSync("..2026_02", join(clusters.folder, "..data_tmp"));
    renameSync(join(clusters.folder, "..data_tmp"), join(clusters.folder, "..data"));
    rmSync(join(clusters.folder, "..2026_01"), { recursive: true });
    await clusters.become("a+blue usable", "a+green usable");
  });
});

describe("a file that cannot be read", () => {
  test.each([
    ["is cut off", (path: string) => truncateSync(path, 60)],
    ["is emptied", (path: string) => truncateSync(path, 0)],
    ["is garbage", (path: string) => writeFileSync(path, Buffer.from([0, 255, 1, 254]))],
    ["is too large", (path: string) => truncateSync(path, 2 * 1024 * 1024)],
  ])("because it %s is what it was, with a reason, and disturbs no other", async (_what, spoil) => {
    await using clusters = followFolder();
    clusters.write("bad.yaml", two);
    clusters.write("good.yaml", one);
    await clusters.become("bad+blue usable", "bad+green usable", "good usable");
    const ids = clusters.told.at(-1)?.map(({ id }) => id);
    spoil(join(clusters.folder, "bad.yaml"));
    await clusters.become("bad+blue unusable", "bad+green unusable", "good usable");
    expect(clusters.told.at(-1)?.map(({ id }) => id)).toEqual(ids);
    expect(clusters.whys[0]).toMatch(/^file .*\/bad\.yaml: .* expected a kubeconfig/);
    for (const trace of traces()) expect(clusters.whys.join()).not.toContain(trace);
    clusters.write("bad.yaml", one);
    await clusters.become("bad usable", "good usable");
  });

  test("from the start is shown under its own name until it can", async () => {
    await using clusters = followFolder();
    clusters.write("bad.yaml", `users: [{ token: ${canary}`);
    await clusters.become("bad unusable");
    expect(clusters.whys.join()).not.toContain(canary);
    clusters.write("bad.yaml", two);
    await clusters.become("bad+blue usable", "bad+green usable");
  });

  test("says with which error", async () => {
    await using clusters = followFolder();
    symlinkSync("a.yaml", join(clusters.folder, "a.yaml"));
    await clusters.become("a unusable");
    expect(clusters.whys[0]).toContain("(ELOOP)");
  });

  test("in one of its contexts only keeps the good one", async () => {
    await using clusters = followFolder();
    clusters.write("a.yaml", kubeconfigOf({ good: {}, bad: { cluster: { server: "nowhere" } } }));
    await clusters.become("a+bad unusable", "a+good usable");
  });
});

describe("a folder that is missing", () => {
  test("is named, and its clusters come when it does", async () => {
    await using clusters = followFolder({ exists: false });
    await until("it is missed", () => clusters.provider.notReady[0]?.includes("no such folder yet"));
    expect(clusters.told).toEqual([]);
    mkdirSync(clusters.folder);
    clusters.write("a.yaml", one);
    await clusters.become("a usable");
    expect(clusters.provider.notReady).toEqual([]);
  });

  test("that disappears removes no cluster, and is followed again when it is back", async () => {
    await using clusters = followFolder();
    clusters.write("a.yaml", one);
    await clusters.become("a usable");
    renameSync(clusters.folder, join(clusters.home, "elsewhere"));
    await until("it is missed", () => clusters.provider.notReady.length > 0);
    expect(clusters.told.length).toBe(1);
    mkdirSync(clusters.folder);
    clusters.write("b.yaml", one);
    await clusters.become("b usable");
  });

  test("and is another one now is watched anew, and the one before no more", async () => {
    const watches: string[] = [];
    const watch: WatchFolder = (folder) => {
      const inode = String(statSync(folder).ino);
      watches.push(`+${inode}`);
      return { close: () => watches.push(`-${inode}`) };
    };
    await using clusters = followFolder({ watch });
    await until("it is watched", () => watches.length === 1);
    const before = statSync(clusters.folder).ino;
    renameSync(clusters.folder, join(clusters.home, "elsewhere"));
    mkdirSync(clusters.folder);
    await until("the new one is watched", () => watches.length === 3);
    expect(watches).toEqual([`+${before}`, `-${before}`, `+${statSync(clusters.folder).ino}`]);
  });
});
