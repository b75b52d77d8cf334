import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Product } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { alertRules } from "../../../infra/signals/alert-rules.ts";
import { panels } from "../../../infra/signals/panels.ts";
import { startPrometheus, type TestPrometheus } from "./prometheus.ts";
import { type ScrapedHub, startScrapedHub } from "./scraped-hub.ts";

/** A minute of the rules lasts so long here. */
const secondsPerMinute = 2;
/** What has not happened by then is not merely slow. */
const patienceMs = 300_000;

const world = new AsyncDisposableStack();
let prometheus: TestPrometheus;
let hub: ScrapedHub;
let watcher: Product;
let worker: Product;

beforeAll(async () => {
  prometheus = world.use(await startPrometheus(alertRules(secondsPerMinute)));
  hub = world.use(await startScrapedHub());
  watcher = hub.start("watcher");
  prometheus.scrape([await targetOf(watcher)]);
});
afterAll(() => world.disposeAsync());

async function targetOf(product: Product): Promise<string> {
  return new URL(await product.healthUrl()).host;
}

const fires = (name: string) =>
  until(`${name} fires`, async () => (await prometheus.firing()).includes(name), patienceMs);
const ends = (name: string) =>
  until(`${name} has ended`, async () => !(await prometheus.firing()).includes(name), patienceMs);

test("without a worker, adoption and queue stand still, and go on with one", async () => {
  await fires("FleetReloaderAdoptionStuck");
  await fires("FleetReloaderQueueNotDrained");
  worker = hub.start("worker");
  prometheus.scrape([await targetOf(watcher), await targetOf(worker)]);
  await ends("FleetReloaderAdoptionStuck");
  await ends("FleetReloaderQueueNotDrained");
});

test("a cluster that is away is told of until it is back", async () => {
  // What is due while it is away is parked.
  await hub.change(hub.registered);
  await hub.registered.stop();
  await fires("FleetReloaderClusterAway");
  await hub.registered.start();
  await ends("FleetReloaderClusterAway");
});

test("every panel of the dashboard shows something while changes are rolled", async () => {
  for (const { query, title } of panels) {
    const expression = query.replaceAll("$cluster", ".*").replaceAll("$__rate_interval", "30s");
    const isThere = async () => {
      await hub.change(hub.given);
      return (await prometheus.query(expression)).length > 0;
    };
    await until(`the panel "${title}" has data: ${expression}`, isThere, patienceMs);
  }
});

test("an alert that nobody takes is told of until no more are lost", async () => {
  await hub.change(hub.given);
  await fires("FleetReloaderNotificationsLost");
  await ends("FleetReloaderNotificationsLost");
});

test("freezes that cannot be read are told of until they can", async () => {
  writeFileSync(hub.freezeFile, "- fleet: [");
  await fires("FleetReloaderFreezesUnreadable");
  writeFileSync(hub.freezeFile, "[]\n");
  await ends("FleetReloaderFreezesUnreadable");
});

test("a registration that cannot be used is told of until it is removed", async () => {
  const broken = join(hub.registrations, "broken.yaml");
  writeFileSync(broken, "clusters: 7\n");
  await fires("FleetReloaderRegistrationUnusable");
  rmSync(broken);
  await ends("FleetReloaderRegistrationUnusable");
});

test("a Redis that lost everything is told of for an hour", async () => {
  const redis = new Redis(hub.redis.url);
  await redis.flushall();
  redis.disconnect();
  await fires("FleetReloaderStateLost");
  await ends("FleetReloaderStateLost");
});

test("no product is told of until one is scraped again", async () => {
  const targets = [await targetOf(watcher), await targetOf(worker)];
  prometheus.scrape([]);
  await fires("FleetReloaderAbsent");
  prometheus.scrape(targets);
  await ends("FleetReloaderAbsent");
  expect(await prometheus.firing()).not.toContain("FleetReloaderAbsent");
});
