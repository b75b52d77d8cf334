import { testKeyring } from "@fleet-reloader/domain/fixture/test-keys";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { describe, expect, test } from "vitest";
import { startQueue } from "./fixture/queue-bed.ts";
import { guardMarkKey } from "./mark-key-guard.ts";

describe("workers of one Redis", () => {
  test("share a key, change it when they hold the old one too, and are refused with a foreign one", async () => {
    await using redis = await startRedis();
    await using bed = await startQueue(redis.url);
    await guardMarkKey(testKeyring("k1"), bed);
    await guardMarkKey(testKeyring("k1"), bed);
    await guardMarkKey(testKeyring("k2", "k1"), bed);
    await expect(guardMarkKey(testKeyring("k1"), bed)).rejects.toMatchObject({
      code: "config.invalid",
      message: expect.stringMatching(
        /use key k2, which is not in our file \(ours is k1\); give all of them the same file/,
      ),
    });
    // The one that was refused has changed nothing.
    await guardMarkKey(testKeyring("k2"), bed);
    await guardMarkKey(testKeyring("k3", "k2"), bed);
  });
});
