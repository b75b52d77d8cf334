import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRedisOfRoles } from "@fleet-reloader/redis/fixture/role-users";
import type { LogLine, Product } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { rollsEverywhere, type SharedFleet, startSharedFleet } from "../shared-fleet.ts";

const args = ["--debounce", "300ms", "--shards", "2"];
const isDenial = ({ msg }: LogLine) => msg.includes("may not run");

/** A Redis whose default user is off: each service logs in as a user with the rights of its role. */
export function redisRoleTests(): void {
  test("a hub whose services have users of their own in Redis is denied nothing", async () => {
    await using redis = await startRedisOfRoles();
    await using fleet = await startSharedFleet({ clusters: 3, redisUrl: redis.urlOf, args });
    const products = [fleet.watcher(), fleet.watcher(), fleet.worker()];
    const [watcher, , worker] = products;
    if (watcher === undefined || worker === undefined) throw new Error("nothing was started");
    for (const product of products) await product.ready();
    for (const { at } of fleet.clusters) await at.adopted("Deployment", "api");
    await rollsEverywhere(fleet, 1);

    await heldByAFreeze(fleet, worker);

    watcher.signal("SIGKILL");
    await watcher.ended;
    await fleet.settled();
    await rollsEverywhere(fleet, 3);

    await worker.stop();
    const next = fleet.worker();
    await next.ready();
    await redis.admin.connection.flushall();
    await rollsEverywhere(fleet, 4);
    for (const product of [...products, next]) await product.stop();
    expect([...products, next].flatMap(({ log }) => log.filter(isDenial))).toEqual([]);
    expect(await redis.denied()).toEqual([]);
  });

  test("a standalone with a user of its own in Redis is denied nothing", async () => {
    await using redis = await startRedisOfRoles();
    await using fleet = await startSharedFleet({ clusters: 1, redisUrl: redis.urlOf, args });
    const standalone = fleet.standalone();
    await standalone.ready();
    await rollsEverywhere(fleet, 1);
    const started = standalone.log.find(({ msg }) => msg === "fleet-reloader started");
    const pages = new URL(String(started?.queues)).origin;
    for (const path of ["/queues/api/queues", "/history?since=1h", "/api/v1/status", "/api/v1/changes"])
      await until(`${path} is answered`, async () => (await fetch(`${pages}${path}`)).status === 200);
    await standalone.stop();
    expect(await redis.denied()).toEqual([]);
  });

  test("a service with the user of another role says which right is missing", async () => {
    await using redis = await startRedisOfRoles();
    await using fleet = await startSharedFleet({
      clusters: 1,
      redisUrl: () => redis.urlOf("dashboard"),
      args,
    });
    const worker = fleet.worker();
    expect(await worker.ended).toBe(78);
    expect(worker.output()).toMatch(/the user dashboard may not run SET on \{fleet-reloader:fleet\}:shards/);
    expect(worker.output()).toContain("docs/reference/redis-users.md");
  });
}

/** All processes of the fleet have one data dir, and so one document. A watcher ends the holds. */
async function heldByAFreeze(fleet: SharedFleet, worker: Product): Promise<void> {
  const file = join(worker.dataDir, "freezes.yaml");
  writeFileSync(file, "- fleet: true\n");
  for (const { at } of fleet.clusters) await at.change("ConfigMap", "settings", { v: "2" });
  await until("the rolls are held", () => worker.log.filter(({ msg }) => msg === "roll held").length >= 3);
  writeFileSync(file, "[]\n");
  await Promise.all(fleet.clusters.map(({ at }) => at.settlesAt("Deployment", "api", 2)));
}
