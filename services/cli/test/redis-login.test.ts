import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startRedisOfRoles } from "@fleet-reloader/redis/fixture/role-users";
import { MemoryFreezes } from "@fleet-reloader/testkit/memory/memory-freezes";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { afterAll, describe, expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";
import { startFleetBed } from "./fixture/fleet-bed.ts";
import { watchFreezes } from "./fixture/watched-freezes.ts";

const redis = await startRedisOfRoles();
const bed = await startFleetBed(redis.urlOf("watcher"));
const cluster = await startSimCluster({ name: "hub", controllers: false });
const folder = mkdtempSync(join(tmpdir(), "fr-login-"));
const kubeconfig = join(folder, "kubeconfig");
writeFileSync(kubeconfig, cluster.kubeconfig());
afterAll(async () => {
  await bed[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const { host, password, username } = new URL(redis.urlOf("watcher"));
const data = { password: Buffer.from(password).toString("base64") };
cluster.apply({ apiVersion: "v1", kind: "Secret", metadata: { namespace: "tools", name: "valkey" }, data });

/** The variables of a pod of a hub whose Valkey has a password that the product has made. */
const inPod = (secret: string) => ({
  KUBECONFIG: kubeconfig,
  FLEET_RELOADER_REDIS_URL: `redis://${username}@${host}`,
  FLEET_RELOADER_REDIS_PASSWORD_SECRET: secret,
});

describe("a command in a pod of a hub finds the password of Redis in the Secret of the services", () => {
  test.each([
    ["a question", ["clusters"]],
    ["the history", ["history", "--since", "1h"]],
    ["an act", ["retry", "deploy/api", "--cluster", "nova", "--reason", "again", "--by", "ann"]],
  ])("%s", async (_, words) => {
    const known = await commandRun(words, { env: { FLEET_RELOADER_REDIS_URL: redis.urlOf("watcher") } });
    expect(known).toMatchObject({ code: 0, errors: "" });
    expect(await commandRun(words, { env: inPod("tools/valkey") })).toMatchObject({ code: 0, errors: "" });
  });

  test("what a freeze covers", async () => {
    const freezes = new MemoryFreezes();
    freezes.freezes = [{ scope: {}, reason: "release", by: "ann" }];
    await using _ = watchFreezes(freezes, bed);
    const place = ["--freeze-file", join(folder, "frozen.yaml")];
    const freeze = ["freeze", "--fleet", "--reason", "release", "--by", "ann", ...place];
    expect((await commandRun(freeze, { env: inPod("tools/valkey") })).output).toContain("it covers");
  });
});

test("a Secret that is not there is named", async () => {
  expect(await commandRun(["clusters"], { env: inPod("tools/other") })).toMatchObject({
    code: 78,
    errors: expect.stringContaining("--redis-password-secret tools/other: there is no such Secret"),
  });
});

describe("a password that Redis does not accept is named with its mend", () => {
  const env = { KUBECONFIG: kubeconfig, FLEET_RELOADER_REDIS_URL: `redis://${username}:wrong@${host}` };
  const file = join(folder, "own.yaml");
  const named = ["--freeze-file", file];
  const why = ["--reason", "release", "--by", "ann"];
  const refusal = expect.stringMatching(
    /--redis-url: Redis does not accept the user and password, .*WRONGPASS.*; write redis:/,
  );

  test.each([
    ["a question", ["clusters"]],
    ["the history", ["history", "--since", "1h"]],
    ["a question to the clusters", ["explain", "deploy/api", "-n", "shop"]],
  ])("to %s", async (_, words) => {
    expect(await commandRun(words, { env })).toMatchObject({ code: 78, output: "", errors: refusal });
  });

  test.each([
    ["what a freeze covers", ["freeze", "--fleet", ...why, ...named]],
    ["what each freeze covers", ["freezes", ...named]],
  ])("to %s, which is not known then", async (_, words) => {
    writeFileSync(file, "- fleet: true\n  reason: incident\n  by: bob\n");
    expect(await commandRun(words, { env })).toMatchObject({ errors: refusal });
  });
});
