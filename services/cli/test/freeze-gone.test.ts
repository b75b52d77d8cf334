import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { RedisKnownDocuments } from "@fleet-reloader/redis/index/redis-known-documents";
import { instanceName } from "@fleet-reloader/runtime/process/version";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { afterAll, expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";

const redis = await startRedis();
const folder = mkdtempSync(join(tmpdir(), "fr-freeze-gone-"));
const client = new RedisClient({ url: redis.url }, new CollectedLog());
afterAll(async () => {
  await client.close();
  await redis[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const file = join(folder, "freezes.yaml");
const freezeShop = () =>
  commandRun(["freeze", "--namespace", "shop", "--data-dir", folder, "--redis-url", redis.url], { env: {} });

// While it is gone everything is frozen. One that is made anew would lift that.
test("freeze makes no document anew that Redis remembers, and makes the first one", async () => {
  const known = new RedisKnownDocuments({ client, keys: new Keys("fleet-reloader") });
  await known.add(`file ${instanceName()}:${file}`);
  const refused = await freezeShop();
  expect([refused.code, existsSync(file)]).toEqual([78, false]);
  expect(refused.errors).toContain(`${file}: it was there and is gone, so everything is frozen`);
  await client.connection.flushall();
  const made = await freezeShop();
  expect(made.output).toContain(`frozen in ${file}: namespace shop`);
});
