import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "@fleet-reloader/engine/clock";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { Connection } from "../../connection.ts";
import { systemClock } from "../../fixture/system-clock.ts";
import { Announcer } from "../announced.ts";
import { canary, kubeconfigOf, traces } from "../fixture/credentials.ts";
import type { Registration } from "../registration.ts";
import type { WatchFolder } from "./folder-hints.ts";
import { createKubeconfigDirectory } from "./kubeconfig-directory.ts";

/** Twenty times as fast, so that what is waited for without a hint comes soon; it counts the long sleeps, one after each look. */
function createQuickClock(): Clock & { readonly looks: number } {
  let looks = 0;
  return {
    ...systemClock,
    // All files are old enough to be trusted by their stamps.
    now: () => systemClock.now() + 3_600_000,
    get looks() {
      return looks;
    },
    sleep(ms, signal) {
      if (ms >= 1000) looks += 1;
      return systemClock.sleep(ms / 20, signal);
    },
  };
}

const withoutHints: WatchFolder = () => ({ close: () => undefined });

function follow(how: { readonly exists?: boolean; readonly watch?: WatchFolder } = {}) {
  const home = mkdtempSync(join(tmpdir(), "fr-kubeconfigs-"));
  const folder = join(home, "kubeconfigs");
  if (how.exists !== false) mkdirSync(folder);
  const stop = new AbortController();
  const clock = createQuickClock();
  const told: (readonly Registration[])[] = [];
  const announcer = new Announcer(new CollectedLog(), new CountingMeter());
  const directory = createKubeconfigDirectory({
    directory: folder,
    allowExec: [],
    clock,
    ...(how.watch === undefined ? {} : { watch: how.watch }),
  });
  const provider = announcer.announced("directory", directory);
  const ended = provider.run(stop.signal, (registrations) => told.push(registrations));
  const shown = (): readonly string[] =>
    (told.at(-1) ?? []).map(({ name, access }) => `${name} ${access.type}`).toSorted();
  return {
    home,
    folder,
    provider,
    told,
    /** It has looked again, at least once from beginning to end. */
    async lookedAgain() {
      const before = clock.looks;
      await until("it has looked again", () => clock.looks >= before + 2);
    },
    write: (name: string, content: string) => writeFileSync(join(folder, name), content),
    become: (...expected: readonly string[]) =>
      until(`it is ${expected}, and not ${shown()}`, () => told.length > 0 && `${shown()}` === `${expected}`),
    get whys() {
      return (told.at(-1) ?? []).map(({ access }) => (access.type === "usable" ? "" : access.why));
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
      rmSync(home, { recursive: true });
    },
  };
}

const one = kubeconfigOf({ admin: {} });
const two = kubeconfigOf({ blue: {}, green: {} });

describe("a folder of kubeconfigs", () => {
  test("has a cluster for each context, named after its file", async () => {
    await using clusters = follow();
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
    await using clusters = follow();
    await clusters.become();
    expect(clusters.told).toEqual([[]]);
  });

  test("whose files share a stem tells them apart", async () => {
    await using clusters = follow();
    clusters.write("a.yaml", one);
    clusters.write("a.yml", one);
    await clusters.become("a.yaml usable", "a.yml usable");
  });

  test.each([
    ["with hints", undefined],
    ["without", withoutHints],
  ])("shows what comes, changes and goes, %s", async (_how, watch) => {
    await using clusters = follow(watch === undefined ? {} : { watch });
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
    await using clusters = follow();
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
    await using clusters = follow();
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
    await using clusters = follow();
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
    await using clusters = follow();
    clusters.write("bad.yaml", `users: [{ token: ${canary}`);
    await clusters.become("bad unusable");
    expect(clusters.whys.join()).not.toContain(canary);
    clusters.write("bad.yaml", two);
    await clusters.become("bad+blue usable", "bad+green usable");
  });

  test("says with which error", async () => {
    await using clusters = follow();
    symlinkSync("a.yaml", join(clusters.folder, "a.yaml"));
    await clusters.become("a unusable");
    expect(clusters.whys[0]).toContain("(ELOOP)");
  });

  test("in one of its contexts only keeps the good one", async () => {
    await using clusters = follow();
    clusters.write("a.yaml", kubeconfigOf({ good: {}, bad: { cluster: { server: "nowhere" } } }));
    await clusters.become("a+bad unusable", "a+good usable");
  });
});

test("a token file beside a kubeconfig is read again when its token is no longer taken, within the same call", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using clusters = follow();
  clusters.write("token", `${cluster.addUser("robot", undefined, "first")}\n`);
  clusters.write(
    "a.yaml",
    kubeconfigOf({ a: { cluster: { server: cluster.url }, user: { tokenFile: "token", token: "older" } } }),
  );
  await clusters.become("a usable");
  const access = clusters.told.at(-1)?.[0]?.access;
  if (access?.type !== "usable") throw new Error("it cannot be used");
  const connection = new Connection({ target: access.target, clock: systemClock, userAgent: "test" });
  const call = { method: "GET", path: "/api/v1/configmaps" } as const;
  expect((await connection.call(call, new AbortController().signal)).status).toBe(200);
  clusters.write("token", cluster.addUser("robot", undefined, "second"));
  expect((await connection.call(call, new AbortController().signal)).status).toBe(200);
  expect(clusters.told.length).toBe(1);
  await connection.close();
});

describe("a link that a kubeconfig names as a file", () => {
  const withToken = kubeconfigOf({ a: { user: { tokenFile: "token" } } });

  test("is taken while it stays in the folder, as in the volume of a Secret, and refused when it leads out", async () => {
    await using clusters = follow();
    mkdirSync(join(clusters.folder, "..2026_01"));
    writeFileSync(join(clusters.folder, "..2026_01", "token"), canary);
    symlinkSync("..2026_01", join(clusters.folder, "..data"));
    symlinkSync("..data/token", join(clusters.folder, "token"));
    writeFileSync(join(clusters.home, "own-token"), canary);
    symlinkSync(join(clusters.home, "own-token"), join(clusters.folder, "stolen"));
    clusters.write("a.yaml", withToken);
    clusters.write("b.yaml", withToken.replace('"token"', '"stolen"'));
    await clusters.become("a usable", "b unusable");
    expect(clusters.whys[1]).toContain("tokenFile names a link that leads out of");
  });

  test("is refused also when it was a file as long as nobody had read it", async () => {
    await using clusters = follow();
    clusters.write("token", "harmless");
    clusters.write("a.yaml", withToken);
    await clusters.become("a usable");
    const access = clusters.told.at(-1)?.[0]?.access;
    if (access?.type !== "usable") throw new Error("it cannot be used");
    rmSync(join(clusters.folder, "token"));
    writeFileSync(join(clusters.home, "own-token"), canary);
    symlinkSync(join(clusters.home, "own-token"), join(clusters.folder, "token"));
    const connection = new Connection({ target: access.target, clock: systemClock, userAgent: "test" });
    const call = connection.call({ method: "GET", path: "/version" }, new AbortController().signal);
    await expect(call).rejects.toMatchObject({
      code: "kube.unauthorized",
      message: expect.stringMatching(/a file leads out of .*; put it below that folder$/),
    });
    await connection.close();
  });
});

describe("a folder that is missing", () => {
  test("is named, and its clusters come when it does", async () => {
    await using clusters = follow({ exists: false });
    await until("it is missed", () => clusters.provider.notReady[0]?.includes("no such folder yet"));
    expect(clusters.told).toEqual([]);
    mkdirSync(clusters.folder);
    clusters.write("a.yaml", one);
    await clusters.become("a usable");
    expect(clusters.provider.notReady).toEqual([]);
  });

  test("after it was there takes no cluster with it, and is followed when it is there again", async () => {
    await using clusters = follow();
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
    await using clusters = follow({ watch });
    await until("it is watched", () => watches.length === 1);
    const before = statSync(clusters.folder).ino;
    renameSync(clusters.folder, join(clusters.home, "elsewhere"));
    mkdirSync(clusters.folder);
    await until("the new one is watched", () => watches.length === 3);
    expect(watches).toEqual([`+${before}`, `-${before}`, `+${statSync(clusters.folder).ino}`]);
  });
});
