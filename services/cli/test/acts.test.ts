import { failedRollRecords } from "@fleet-reloader/dashboard/fixture/failed-rolls";
import { expect, test, vi } from "vitest";
import { startFleetBed } from "./fixture/fleet-bed.ts";

/** A slow machine may take long. */
const patience = { timeout: 120_000, interval: 50 } as const;
const why = ["--reason", "incident 4711", "--by", "ann"];

test("retry adds one request that is due at once, and records who did so and why", async () => {
  await using bed = await startFleetBed();
  const run = await bed.run("retry", "deploy/api", "--cluster", "nova", ...why);
  expect(run).toEqual({
    code: 0,
    output: "retry Deployment/api on nova: 1 workload will be checked now\n",
    errors: "",
  });
  expect(await bed.queue.waits(bed.request("uid-1"))).toBe(true);
  expect(await bed.queue.waits(bed.request("uid-2"))).toBe(false);
  expect(await bed.queue.depth()).toBe(1);
  const about = {
    target: "Deployment/api on nova",
    scope: { cluster: "nova", workload: { kind: "Deployment", name: "api" } },
  };
  const record = { type: "operator", action: "retry", by: "ann", note: "incident 4711 (1)", ...about };
  expect(await bed.history()).toEqual([expect.objectContaining(record)]);
});

test("retry twice is one request", async () => {
  await using bed = await startFleetBed();
  for (let i = 0; i < 2; i += 1) await bed.run("retry", "deploy/api", "--cluster", "nova", ...why);
  expect(await bed.queue.depth()).toBe(1);
});

test("an act on several workloads is confirmed or expected, and does nothing otherwise", async () => {
  await using bed = await startFleetBed();
  const refused = await bed.run("retry", "deploy/api", ...why);
  expect(refused).toEqual({
    code: 78,
    output: "",
    errors: "--yes: 2 workloads would be meant; write --yes, or --expect 2\n",
  });
  const other = await bed.run("retry", "deploy/api", "--expect", "37", "--yes", ...why);
  expect(other).toMatchObject({
    code: 78,
    errors: "--expect 37: 2 workloads would be meant; nothing was done\n",
  });
  // A script whose count came out empty of workloads expects none.
  const none = await bed.run("retry", "deploy/api", "--expect", "0", "--yes", ...why);
  expect(none).toMatchObject({
    code: 78,
    errors: "--expect 0: 2 workloads would be meant; nothing was done\n",
  });
  expect([await bed.queue.depth(), await bed.history()]).toEqual([0, []]);
  expect(await bed.run("retry", "deploy/api", "--expect", "2", ...why)).toMatchObject({ code: 0 });
  expect(await bed.queue.depth()).toBe(2);
});

test("replay asks every workload that uses the source, also by a pattern", async () => {
  await using bed = await startFleetBed();
  expect(await bed.run("replay", "cm/web-nginx", "--namespace", "shop", "--yes", ...why)).toMatchObject({
    code: 0,
  });
  expect(await bed.queue.waits(bed.request("uid-1", "web"))).toBe(true);
  expect(await bed.queue.waits(bed.request("uid-2", "web"))).toBe(true);
  expect(await bed.queue.depth()).toBe(2);
});

test.each([
  ["a workload", "Deployment/api", "w|uid-1|Deployment/shop/api"],
  ["a source", "Secret/db", "s|uid-1|Secret/shop/db"],
  ["a source by its keys", "Secret/db", "s|uid-1|Secret/shop/db|password,user"],
])("release closes the open breaker of %s, and that of no other", async (_, object, breaker) => {
  await using bed = await startFleetBed();
  const { connection } = bed.client;
  const root = `${bed.keys.rollLedger}:k:`;
  const open = JSON.stringify({ rolls: [1, 2], trips: 1, till: bed.clock.now() + 60_000 });
  await connection.set(`${root}${breaker}`, open);
  await connection.set(`${root}s|uid-1|Secret/shop/db2`, open);
  const run = await bed.run("release", object, "--cluster", "nova", ...why);
  expect(run).toMatchObject({ code: 0, errors: "" });
  expect(await connection.exists(`${root}${breaker}`)).toBe(0);
  expect(await connection.exists(`${root}s|uid-1|Secret/shop/db2`)).toBe(1);
  expect(await bed.queue.waits(bed.request("uid-1"))).toBe(true);
  expect(await bed.history()).toEqual([expect.objectContaining({ action: "release", by: "ann" })]);
});

test("release of what has no open breaker does nothing and ends with 1", async () => {
  await using bed = await startFleetBed();
  const run = await bed.run("release", "Deployment/api", "--cluster", "nova", ...why);
  expect(run).toMatchObject({ code: 1, errors: expect.stringContaining("no breaker of it is open") });
  expect([await bed.queue.depth(), await bed.history()]).toEqual([0, []]);
});

test("acts are refused with field, value and mend", async () => {
  await using bed = await startFleetBed();
  const names = Array.from({ length: 10_000 }, (_, at) => `deploy/api-${at}`);
  for (const [words, code, errors] of [
    [["retry", "deploy/api"], 78, "--reason: it is missing"],
    [["retry", "Deploymnt/api", ...why], 78, "Deploymnt/api: names no workload; write Deployment/api"],
    [["retry", "Secret/db", ...why], 78, "Secret/db: names no workload"],
    [["replay", "deploy/api", ...why], 78, "deploy/api: names no source"],
    [["retry", "deploy/nothing", ...why], 1, "no workload that is reloaded is meant"],
    [["retry", "deploy/api", "--cluster", "vega", ...why], 78, "no cluster is called vega"],
    [["retry", ...names, ...why], 78, "KIND/NAME: 10000 are given; write one KIND/NAME"],
    [["retry", `deploy/${"x".repeat(100_000)}`, ...why], 78, "names no workload; write KIND/NAME"],
  ] as const) {
    const run = await bed.run(...words);
    expect(run.errors.slice(0, 400)).toContain(errors.slice(0, 100));
    expect(run.code).toBe(code);
  }
  expect([await bed.queue.depth(), await bed.history()]).toEqual([0, []]);
});

test("acts lists who did what, when, why, on how many and what came of it", async () => {
  await using bed = await startFleetBed();
  await bed.run("retry", "deploy/api", "--expect", "2", ...why);
  await bed.run("replay", "Secret/db", "--cluster", "nova", "--reason", "rotation", "--by", "bob");
  const { code, output } = await vi.waitFor(async () => {
    // What was written in this very millisecond is given out in the next.
    const run = await bed.run("acts");
    expect(run.output).toContain("2 acts");
    return run;
  }, patience);
  expect(code).toBe(0);
  expect(output).toMatch(/AGE +BY +ACT +TARGET +RESULT +REASON\n/);
  expect(output).toMatch(/s +bob +replay +Secret\/db on nova +checked 1 workload +rotation\n/);
  expect(output).toMatch(/s +ann +retry +Deployment\/api +checked 2 workloads +incident 4711\n2 acts\n/);
  const json: unknown = JSON.parse((await bed.run("acts", "--cluster", "nova", "-o", "json")).output);
  expect(json).toMatchObject({ count: 1, acts: [{ by: "bob", action: "replay" }], isCut: false });
  expect(await bed.run("acts", "--action", "retri")).toMatchObject({
    code: 78,
    errors: "--action retri: no act is called so; did you mean retry?\n",
  });
});

test("discard takes failed rolls out of what failed, and rolls nothing", async () => {
  await using bed = await startFleetBed();
  for (const [cluster, name] of [
    ["uid-1", "nova"],
    ["uid-2", "otech62"],
  ] as const)
    for (const record of failedRollRecords(name, "api", "ProgressDeadlineExceeded"))
      await bed.write({ ...record, cluster: { id: cluster, name } });
  const failed = async () => Object(JSON.parse((await bed.run("queue", "-o", "json")).output)).failed;
  await vi.waitFor(async () => expect(await failed()).toEqual({ ProgressDeadlineExceeded: 2 }), patience);
  expect(await bed.run("discard", "--cause", "Frozen", ...why)).toMatchObject({
    code: 1,
    errors: expect.stringContaining("failed rolls by Frozen: none is given up"),
  });
  expect(await bed.run("discard", "--expect", "3", ...why)).toMatchObject({ code: 78 });
  const run = await bed.run("discard", "deploy/api", "--cluster", "nova", ...why);
  expect(run).toMatchObject({
    code: 0,
    output: expect.stringContaining(
      "failed rolls of Deployment/api on nova: 1 is discarded; nothing is rolled",
    ),
  });
  await vi.waitFor(async () => expect(await failed()).toEqual({ ProgressDeadlineExceeded: 1 }), patience);
  expect(await bed.queue.depth()).toBe(0);
  await bed.run("retry", "deploy/api", "--cluster", "otech62", ...why);
  expect(await bed.run("discard", ...why)).toMatchObject({ code: 1 });
});
