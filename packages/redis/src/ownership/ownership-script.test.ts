import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { readList, readText } from "../index/index-entry.ts";
import { ownershipScript } from "./ownership-script.ts";

// A replica that becomes the master may lack the last change.
test("no version that a failover has lost is given to another change", async () => {
  await using redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  const { connection } = client;
  const { fleet } = new Keys("versions");
  const claim = async (cluster: string, known: string) => {
    const args = ["one", "60000", "0", known, "claim", cluster, "0", "1"];
    const [version, , , , owners] = readList(await ownershipScript.run(connection, fleet.root, args));
    return { version: readText(version), owners: readList(owners).map(readText) };
  };
  // Often enough that two changes surely fall into the same millisecond.
  for (let loss = 0; loss < 50; loss += 1) {
    const kept = await claim("c1", "");
    const lost = await claim("c2", kept.version);
    expect(lost.owners).toContain("c2");
    await connection.set(fleet.ownersVersion, kept.version);
    await connection.hdel(fleet.owners, "c2");
    const next = await claim("c3", lost.version);
    expect(next.version).not.toBe(lost.version);
    expect(next.owners).toContain("c3");
    expect(next.owners).not.toContain("c2");
    await connection.hdel(fleet.owners, "c1", "c3");
  }
  const versions: string[] = [];
  for (const cluster of ["c4", "c5", "c6"]) versions.push((await claim(cluster, "")).version);
  expect(versions).toEqual(versions.toSorted((a, b) => Number(a) - Number(b)));
  expect(new Set(versions).size).toBe(versions.length);
  expect(versions.join()).toMatch(/^[\d,]+$/);
  await client.close();
});
