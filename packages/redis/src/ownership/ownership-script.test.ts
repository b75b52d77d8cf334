import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { readList, readText } from "../index/index-entry.ts";
import { ownershipScript } from "./ownership-script.ts";
import { readView } from "./ownership-view.ts";

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

test("only an offer that stands is taken, by one, and is no offer of the next owner", async () => {
  await using redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  const { fleet } = new Keys("offers");
  const ask = async (member: string, verb: string, epoch: number) => {
    const args = [member, "60000", "60000", "", verb, "c1", String(epoch), "1"];
    const answer = readList(await ownershipScript.run(client.connection, fleet.root, args));
    const record = readView(answer[3], answer[4], answer[5]).owners.get("c1");
    return record ?? { owner: "nobody", epoch: 0, isOffered: false };
  };
  const { epoch } = await ask("one", "claim", 0);
  const ours = { owner: "one", epoch, isOffered: false };
  expect(await ask("two", "take", epoch)).toMatchObject(ours);
  expect(await ask("two", "offer", epoch)).toMatchObject(ours);
  expect(await ask("one", "offer", epoch)).toMatchObject({ ...ours, isOffered: true });
  // An offered cluster is weighed like any other.
  expect(await ask("one", "weigh", epoch)).toMatchObject({ ...ours, isOffered: true });
  expect(await ask("two", "retain", epoch)).toMatchObject({ ...ours, isOffered: true });
  expect(await ask("one", "retain", epoch)).toMatchObject(ours);
  expect(await ask("two", "take", epoch)).toMatchObject(ours);
  await ask("one", "offer", epoch);
  const taken = await ask("two", "take", epoch);
  expect(taken).toMatchObject({ owner: "two", isOffered: false });
  expect(taken.epoch).toBeGreaterThan(epoch);
  expect(await ask("three", "take", epoch)).toEqual(taken);
  // It does not return to the other for the sake of balance right away.
  expect(await ask("one", "move", taken.epoch)).toEqual(taken);
  await ask("two", "offer", taken.epoch);
  expect(await ask("two", "free", taken.epoch)).toMatchObject({ owner: "nobody" });
  expect(await client.connection.exists(`${fleet.owners}-offered`)).toBe(0);
  await client.close();
});
