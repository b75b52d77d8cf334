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

test("a workload is found with the object that it refers to for its template", async () => {
  await using redis = await startRedis();
  await using stack = new AsyncDisposableStack();
  const client = stack.adopt(new RedisClient({ url: redis.url }, new CollectedLog()), (its) => its.close());
  const keys = new Keys("indexed");
  const entry = { sources: ["Secret/shop/db"], patterns: [], scope: "", window: {} };
  const refs = ["web", "api"].map((name) => ({ kind: "Rollout", namespace: "shop", name }));
  const owner = { kind: "Deployment", namespace: "shop", name: "web-template" };
  for (const [at, workload] of refs.entries()) {
    const text = encodeEntry({ ...entry, workload, ...(at === 0 && { templateOwner: owner }) });
    await client.connection.hset(keys.cluster("c1").workloads, `Rollout/shop/${workload.name}`, text);
  }
  const found = await indexedWorkloads("c1", { client, keys });
  const owners = new Map(found.map(({ ref, templateOwner }) => [ref.name, templateOwner]));
  expect(owners).toEqual(
    new Map([
      ["web", owner],
      ["api", undefined],
    ]),
  );
});
