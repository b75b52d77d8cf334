import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { Redis } from "ioredis";
import { describe, expect, test, vi } from "vitest";
import { startQueue } from "../fixture/queue-bed.ts";
import { guardMarkKey } from "./mark-key-guard.ts";

describe("workers of one Redis", () => {
  test("share a key, change it if they hold the old one, and are refused a foreign one", async () => {
    await using redis = await startRedis();
    await using bed = await startQueue(redis.url);
    const log = new CollectedLog();
    const options = { ...bed, log, forgetOldKeys: false };
    await guardMarkKey(testKeyring("k1"), options);
    await guardMarkKey(testKeyring("k1"), options);
    await guardMarkKey(testKeyring("k2", "k1"), options);
    await expect(guardMarkKey(testKeyring("k1"), options)).rejects.toMatchObject({
      code: "config.invalid",
      message: expect.stringMatching(
        /used key k2, which is not in our file \(ours is k1\); to change the key, give every worker both, ours as the second line of the file, and swap the lines when all have started with both; if key k2 is lost,.* --forget-old-keys/,
      ),
    });
    // The refused attempt has changed nothing.
    await guardMarkKey(testKeyring("k2"), options);
    await guardMarkKey(testKeyring("k3", "k2"), options);
    expect(log.lines).toEqual([]);
  });

  // A process may restart at any time: during a step there are still processes of the previous step.
  test("change their key in two steps, in whatever order they restart", async () => {
    await using redis = await startRedis();
    await using bed = await startQueue(redis.url);
    const log = new CollectedLog();
    const steps = [testKeyring("k1"), testKeyring("k1", "k2"), testKeyring("k2", "k1"), testKeyring("k2")];
    for (const [at, next] of steps.entries())
      for (const keyring of [next, steps[at - 1] ?? next, next])
        await guardMarkKey(keyring, { ...bed, log, forgetOldKeys: false });
    expect(log.lines).toEqual([]);
  });

  test("start with only a new key when told to forget the old, and say once the cost", async () => {
    await using redis = await startRedis();
    await using bed = await startQueue(redis.url);
    const log = new CollectedLog();
    const options = { ...bed, log, forgetOldKeys: true };
    await guardMarkKey(testKeyring("k1"), options);
    expect(log.lines).toEqual([]);
    await guardMarkKey(testKeyring("k2"), options);
    await guardMarkKey(testKeyring("k2"), options);
    expect(log.messages("warn")).toEqual([
      "key k1 is forgotten, ours is k2; changes that were waiting under the old key are judged by times alone",
    ]);
    // From now on the old key is foreign.
    await expect(guardMarkKey(testKeyring("k1"), { ...options, forgetOldKeys: false })).rejects.toMatchObject(
      { code: "config.invalid" },
    );
  });

  test("is never seen with the key of a worker that is refused, not even for a moment", async () => {
    await using redis = await startRedis();
    await using bed = await startQueue(redis.url);
    const options = { ...bed, log: new CollectedLog(), forgetOldKeys: false };
    await guardMarkKey(testKeyring("k1"), options);
    // The values that another client sees after every single command.
    const seen = new Set<string | null>();
    const observer = bed.client.duplicate();
    const { connection } = bed.client;
    if (!(connection instanceof Redis)) throw new Error("this test is about one server");
    const send = connection.sendCommand.bind(connection);
    const spy = vi.spyOn(connection, "sendCommand").mockImplementation(async (command, stream) => {
      const answer = await send(command, stream);
      seen.add(await observer.get(bed.keys.markKeyId));
      return answer;
    });
    await expect(guardMarkKey(testKeyring("k2"), options)).rejects.toMatchObject({ code: "config.invalid" });
    spy.mockRestore();
    observer.disconnect();
    expect([...seen]).toEqual(["k1"]);
  });
});
