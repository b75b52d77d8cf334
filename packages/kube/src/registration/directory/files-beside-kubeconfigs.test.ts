import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, kubeconfigOf } from "@fleet-reloader/testkit/beds/credentials";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { describe, expect, test } from "vitest";
import { Credentials } from "../../credentials/credentials.ts";
import { systemClock } from "../../fixture/system-clock.ts";
import { Connection } from "../../http/connection.ts";
import { followFolder } from "../fixture/followed-folder.ts";

test("a token file is read again within the call whose token was refused", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using clusters = followFolder({ allowLoopbackHttp: true });
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

  test("is taken while it stays in the folder, and refused when it leads out", async () => {
    await using clusters = followFolder();
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
    await using clusters = followFolder();
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
      message: expect.stringMatching(/a file lies outside of .*; put it below that folder$/),
    });
    await connection.close();
  });

  test("is refused also when it was a file until a plugin ran", async () => {
    await using clusters = followFolder({ allowExec: ["sh"] });
    clusters.write("ca", "harmless");
    writeFileSync(join(clusters.home, "own-token"), canary);
    const swap = `ln -sf ${join(clusters.home, "own-token")} ${join(clusters.folder, "ca")}`;
    const exec = { command: "sh", args: ["-c", `${swap}; echo '{"status":{"token":"t"}}'`] };
    const cluster = { server: "https://127.0.0.1:1", "certificate-authority": "ca" };
    clusters.write("a.yaml", kubeconfigOf({ a: { cluster, user: { exec } } }));
    await clusters.become("a usable");
    const access = clusters.told.at(-1)?.[0]?.access;
    if (access?.type !== "usable") throw new Error("it cannot be used");
    const credentials = new Credentials(access.target, systemClock);
    await expect(credentials.get(new AbortController().signal)).rejects.toMatchObject({
      message: expect.stringMatching(/a file lies outside of .*; put it below that folder$/),
    });
  });
});
