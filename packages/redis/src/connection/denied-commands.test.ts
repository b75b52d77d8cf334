import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "./client.ts";
import { Script } from "./script.ts";

async function startDenied() {
  const redis = await startRedis([
    { name: "reader", rules: ["~{a}*", "+get", "+eval", "+info", "+multi", "+exec"] },
  ]);
  const log = new CollectedLog();
  const admin = new RedisClient(redisAddress(redis.urlOf("admin")), log);
  const client = new RedisClient(redisAddress(redis.urlOf("reader")), log);
  return {
    ...{ admin, client, log },
    async [Symbol.asyncDispose]() {
      await Promise.all([admin.close(), client.close()]);
      await redis[Symbol.asyncDispose]();
    },
  };
}

const mend = "give it the commands and keys of its role, see docs/reference/redis-users.md";
const refusal = (what: string) => ({
  ...{ code: "redis.unsuitable", class: "misconfigured" },
  message: expect.stringMatching(
    new RegExp(`^--redis-url: the user reader may not run ${what} \\((NOPERM|ERR) .*\\); ${mend}$`),
  ),
});

test("a denied command is a fault that names user, command, key and mend", async () => {
  await using bed = await startDenied();
  const { connection } = bed.client;
  await expect(connection.get("{a}:b")).resolves.toBeNull();
  await expect(connection.hget("{a}:b", "c")).rejects.toMatchObject(refusal("HGET on {a}:b"));
  await expect(connection.get("{c}:d")).rejects.toMatchObject(refusal("GET on {c}:d"));
  const script = "return redis.call('SET', KEYS[1], 1)";
  await expect(connection.eval(script, 1, "{a}:b")).rejects.toMatchObject(refusal("EVAL on {a}:b"));
  const inPipeline = await connection.pipeline().get("{a}:b").set("{a}:b", "1").exec();
  expect(inPipeline?.map(([error]) => error)).toMatchObject([null, refusal("SET on {a}:b")]);
  await expect(connection.eval("return redis.call('NO-COMMAND')", 0)).rejects.toThrow(/^ERR /);
});

test("a denied command is logged once, and noted until it is allowed", async () => {
  await using bed = await startDenied();
  const { connection } = bed.client;
  const ask = () => connection.hget("{a}:b", "c");
  for (let time = 0; time < 3; time += 1) await expect(ask()).rejects.toThrow("NOPERM");
  expect(bed.log.messages("error")).toEqual([expect.stringContaining("may not run HGET")]);
  expect(bed.client.notes).toEqual([
    expect.stringMatching(/^redis: the user reader may not run HGET on \{a\}:b/),
  ]);
  await bed.admin.connection.acl("SETUSER", "reader", "+hget");
  await expect(ask()).resolves.toBeNull();
  expect(bed.client.notes).toEqual([]);
  expect(bed.log.messages("error")).toHaveLength(1);
});

test("a script that is allowed hides none that is denied", async () => {
  await using bed = await startDenied();
  await bed.admin.connection.acl("SETUSER", "reader", "+evalsha");
  const { connection } = bed.client;
  const allowed = new Script("return redis.call('GET', KEYS[1])");
  const denied = new Script("return redis.call('SET', KEYS[1], 1)");
  const other = new Script("return redis.call('DEL', KEYS[1])");
  for (const script of [denied, denied, other])
    await expect(script.run(connection, ["{a}:c:uid-1:b"], [])).rejects.toMatchObject(
      refusal("EVAL(SHA)? on {a}:c:uid-1:b"),
    );
  await expect(allowed.run(connection, ["{a}:c:uid-1:b"], [])).resolves.toBeNull();
  expect(bed.client.notes).toHaveLength(2);
  expect(bed.log.messages("error")).toHaveLength(2);
  await bed.admin.connection.acl("SETUSER", "reader", "+set");
  await expect(denied.run(connection, ["{a}:c:uid-2:b"], [])).resolves.toBe("OK");
  expect(bed.client.notes).toHaveLength(1);
});

test("what a copy of the connection is denied is known, too", async () => {
  await using bed = await startDenied();
  const copy = bed.client.duplicate();
  // The queue duplicates the connection that it gets.
  const second = copy instanceof Redis ? copy.duplicate() : undefined;
  for (const each of [copy, second]) {
    await expect(each?.bzpopmin("{a}:b", 1)).rejects.toMatchObject(refusal("BZPOPMIN on {a}:b"));
    each?.disconnect();
  }
  expect(bed.client.notes).toHaveLength(1);
});
