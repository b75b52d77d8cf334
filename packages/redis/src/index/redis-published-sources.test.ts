import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { expect, test } from "vitest";
import { RedisClient, redisAddress } from "../connection/client.ts";
import { Keys } from "../connection/keys.ts";
import { RedisPublishedSources } from "./redis-published-sources.ts";

test("what was told is found by every process of the cluster, until it is forgotten", async () => {
  await using redis = await startRedis();
  const client = new RedisClient(redisAddress(redis.url), new CollectedLog());
  const of = (cluster: string) => new RedisPublishedSources({ cluster, client, keys: new Keys("told") });
  try {
    const [app, tls] = [
      { ref: { kind: "ConfigMap", namespace: "ns", name: "app" }, resourceVersion: "7", mark: "v1:k:m" },
      { ref: { kind: "Secret", namespace: "ns", name: "app" }, resourceVersion: "8", mark: "v1:k:n" },
    ] as const;
    await of("c1").remember([]);
    expect(await of("c1").find([])).toEqual([]);
    await of("c1").remember([app, tls]);
    await of("c1").remember([{ ...app, resourceVersion: "9" }]);
    expect(await of("c1").find([tls.ref, app.ref])).toEqual([tls, { ...app, resourceVersion: "9" }]);
    expect(await of("c2").find([app.ref])).toEqual([undefined]);
    expect(await of("c1").remembered("ConfigMap", undefined)).toEqual([app.ref]);
    expect(await of("c1").remembered("Secret", "ns")).toEqual([tls.ref]);
    expect(await of("c1").remembered("Secret", "n")).toEqual([]);
    await of("c1").forget([app.ref]);
    expect(await of("c1").find([app.ref, tls.ref])).toEqual([undefined, tls]);
  } finally {
    client.close();
  }
});
