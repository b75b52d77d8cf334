import { startRedisOfRoles } from "@fleet-reloader/redis/fixture/role-users";
import { afterAll, beforeEach, expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";
import { startFleetBed } from "./fixture/fleet-bed.ts";

const redis = await startRedisOfRoles();
const bed = await startFleetBed(redis.urlOf("watcher"));
const why = ["--reason", "incident 4711", "--by", "ann"];
const runAs = (role: "dashboard" | "operator" | "watcher", ...words: readonly string[]) =>
  commandRun(words, { env: { FLEET_RELOADER_REDIS_URL: redis.urlOf(role) } });

beforeEach(async () => {
  await redis.admin.connection.acl("LOG", "RESET");
});
afterAll(async () => {
  await bed[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const questions = [
  ["status"],
  ["clusters"],
  ["held"],
  ["managed"],
  ["changes"],
  ["history", "--since", "1h"],
  ["freezes"],
] as const;

test.each(["dashboard", "operator", "watcher"] as const)("a %s may ask every question", async (role) => {
  await bed.hold(bed.request("uid-1"), "Frozen");
  for (const words of questions)
    expect(await runAs(role, ...words)).toMatchObject({ code: expect.any(Number), errors: "" });
  expect(await redis.denied()).toEqual([]);
});

test.each(["operator", "watcher"] as const)("a %s may retry, replay and release", async (role) => {
  const breaker = `${bed.keys.rollLedger}:k:s|uid-1|Secret/shop/db`;
  const open = JSON.stringify({ rolls: [1, 2], trips: 1, till: bed.clock.now() + 3_600_000 });
  await redis.admin.connection.set(breaker, open);
  const acts = [
    ["retry", "deploy/api", "--cluster", "nova"],
    ["replay", "cm/web-nginx", "--namespace", "shop", "--yes"],
    ["release", "Secret/db", "--cluster", "nova"],
  ];
  for (const words of acts)
    expect(await runAs(role, ...words, ...why)).toMatchObject({ code: 0, errors: "" });
  expect(await redis.admin.connection.exists(breaker)).toBe(0);
  expect(await redis.denied()).toEqual([]);
});

test("an act of whoever may only ask is refused with user, command and mend", async () => {
  const refused = await runAs("dashboard", "retry", "deploy/api", "--cluster", "nova", ...why);
  expect(refused).toMatchObject({ code: 78, output: "" });
  expect(refused.errors).toMatch(
    /^--redis-url: the user dashboard may not run \w+ on \{fleet-reloader:\d+\}:reconcile:.*give it the commands and keys of its role/,
  );
});
