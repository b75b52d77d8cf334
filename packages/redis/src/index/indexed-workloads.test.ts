import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { encodeEntry } from "./index-entry.ts";
import { indexedWorkloads } from "./indexed-workloads.ts";

test("the workloads of a namespace are found by its name, and not by a pattern", async () => {
  await using redis = await startRedis();
  await using stack = new AsyncDisposableStack();
  const client = stack.adopt(new RedisClient({ url: redis.url }, new CollectedLog()), (its) => its.close());
  const keys = new Keys("indexed");
  const workloads = [
    "Deployment/shop/api",
    "DaemonSet/shop/web",
    "Deployment/shop-2/api",
    "Deployment/a/shop",
  ];
  const entry = (workload: string) => {
    const [kind = "", namespace = "", name = ""] = workload.split("/");
    const written = { workload: { kind, namespace, name }, sources: ["Secret/shop/db"], patterns: [] };
    return encodeEntry({ ...written, scope: "", window: {} });
  };
  for (const one of workloads) await client.connection.hset(keys.cluster("c1").workloads, one, entry(one));
  const found = async (namespace?: string) => {
    const all = await indexedWorkloads("c1", { client, keys }, namespace);
    return all.map(({ ref: { kind, namespace: its, name } }) => `${kind}/${its}/${name}`).toSorted();
  };
  expect(await found()).toEqual(workloads.toSorted());
  expect(await found("shop")).toEqual(["DaemonSet/shop/web", "Deployment/shop/api"]);
  for (const namespace of ["sho*", "sho?", "[s]hop", "shop\\", "*", "^shop"])
    expect(await found(namespace)).toEqual([]);
});
