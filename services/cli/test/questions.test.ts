import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { afterAll, expect, test } from "vitest";
import { commandRun } from "./fixture/command-run.ts";
import { startFleetBed } from "./fixture/fleet-bed.ts";

const bed = await startFleetBed();
afterAll(() => bed[Symbol.asyncDispose]());

const freeze = { scope: { cluster: "nova" }, reason: "disk full", by: "ann" };
await bed.client.connection.zadd(
  bed.keys.fleet.freezes,
  bed.clock.now(),
  `worker-1 ${JSON.stringify(freeze)}`,
);
await bed.hold(bed.request("uid-1"), "Frozen");
await bed.hold(bed.request("uid-2"), "ClusterUnreachable");
await bed.hold(bed.request("uid-1", "web"), "BudgetUnfinished");
await bed.client.connection.zadd(`${bed.keys.rollLedger}:b:fleet:leases`, 1, "uid-2|Deployment/shop/slow");
const time = new Date(bed.clock.now() - 60_000).toISOString();
const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
for (const [id, name] of [["uid-1", "nova"] as const, ["uid-2", "otech62"] as const]) {
  const cluster = { id, name };
  const change = `${id}/db@7`;
  await bed.write({
    v: 1,
    time,
    cluster,
    type: "change",
    change,
    fleetChange: "f1-a",
    source,
    resourceVersion: "7",
  });
  const { workload } = bed.request(id);
  await bed.write({
    v: 1,
    time,
    cluster,
    type: "action",
    workload,
    action: "rolled",
    sources: [{ ...source, change }],
  });
}
// A reader stops before the present millisecond.
await bed.clock.sleep(5, AbortSignal.timeout(1000));

test("status shows clusters, queue age, holds, freezes and open changes at once", async () => {
  const { code, errors, output } = await bed.run("status");
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  for (const part of [
    "clusters  2, 1 sick; 4 workloads",
    "otech62: no route to host",
    "queue     nothing waits; 0 waiting, 0 running",
    "held      3",
    "1 ClusterUnreachable",
    "cluster nova: disk full (by ann)",
    "changes   1 since 1h, 1 not done: 2 rolling, 0 held, 0 failed, 0 stalled",
  ])
    expect(output).toContain(part);
});

test.each([
  [{ cluster: "Nova" }, "cluster Nova", "no cluster is called Nova; did you mean nova?"],
  [
    { namespace: "shopp" },
    "namespace shopp",
    "no workload of namespace shopp is reloaded; did you mean shop?",
  ],
])("status says of a freeze of %j that it covers nothing", async (scope, named, missing) => {
  const idle = { scope, reason: "disk full", by: "bob" };
  const member = `worker-1 ${JSON.stringify(idle)}`;
  await bed.client.connection.zadd(bed.keys.fleet.freezes, bed.clock.now(), member);
  const [{ output }, { output: json }] = [await bed.run("status"), await bed.run("status", "-o", "json")];
  await bed.client.connection.zrem(bed.keys.fleet.freezes, member);
  expect(output).toContain(`  ${named}: disk full (by bob); it covers nothing: ${missing}\n`);
  expect(output).toMatch(/^ {2}cluster nova: disk full \(by ann\)$/m);
  expect(Object(JSON.parse(json)).freezes).toContainEqual({ ...idle, missing });
});

test("freezes says which freezes of a document cover nothing, also as JSON", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fr-freezes-"));
  const file = join(folder, "freezes.yaml");
  const scopes = ["cluster: Nova", "namespace: shopp", "workload: deploy/apo", "namespace: shop"];
  writeFileSync(file, scopes.map((scope) => `- ${scope}\n  reason: release\n  by: ann\n`).join(""));
  const { code, errors, output } = await bed.run("freezes", "--freeze-file", file);
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  for (const line of [
    "  cluster Nova: release (by ann); it covers nothing: no cluster is called Nova; did you mean nova?",
    "  namespace shopp: release (by ann); it covers nothing: no workload of namespace shopp is reloaded; did you mean shop?",
    "  workload Deployment/apo: release (by ann); it covers nothing: no Deployment/apo is reloaded; did you mean Deployment/api?",
    "  namespace shop: release (by ann)",
  ])
    expect(output.split("\n")).toContain(line);
  const { output: json } = await bed.run("freezes", "--freeze-file", file, "-o", "json");
  rmSync(folder, { recursive: true });
  const [place] = JSON.parse(json).places;
  expect(place).toMatchObject({ place: file, isThere: true });
  expect(place.freezes[1]).toEqual({
    scope: { namespace: "shopp" },
    reason: "release",
    by: "ann",
    isOver: false,
    missing: "no workload of namespace shopp is reloaded; did you mean shop?",
  });
  expect(place.freezes[3]).not.toHaveProperty("missing");
});

test("clusters lists sick ones first, what is wrong, and what their watchers say", async () => {
  const { output } = await bed.run("clusters");
  const [heading, first, second] = output.split("\n");
  expect(heading).toMatch(/^CLUSTER +STATE +WORKLOADS/);
  expect(first).toMatch(
    /^otech62 +Unreachable +2 +0 +1 +3 of 8, 50d +1 missing +watcher-b +no route to host$/,
  );
  expect(second).toMatch(/^nova +Ready +2 +0 +2 +none +all +watcher-a$/);
});

test("changes counts what came of one content on all clusters", async () => {
  const { output } = await bed.run("changes");
  expect(output).toMatch(/Secret\/shop\/db +- +2 +no +2 rolling +f1-a\n/);
  const json: unknown = JSON.parse((await bed.run("changes", "--change", "f1-a", "-o", "json")).output);
  const changes = [{ id: "f1-a", clusters: ["nova", "otech62"], isDone: false }];
  expect(json).toMatchObject({ count: 1, changes, isCut: false });
  expect((await bed.run("changes", "--change", "f1-b")).output).toContain("0 changes");
});

test("queue names the age of the oldest request before any count", async () => {
  const { output } = await bed.run("queue");
  const lines = output.trimEnd().split("\n");
  expect(lines.slice(0, 5)).toEqual([
    expect.stringMatching(/^oldest {4}(nothing waits|\d+\w)$/),
    expect.stringMatching(/^waiting {3}\d+$/),
    "running   0",
    expect.stringMatching(/^delayed {3}\d+$/),
    "held      3",
  ]);
  expect(lines).toContain("  1 Frozen");
  expect(lines).toContain("failed    0 workloads since 1h");
});

test("held says who set a freeze, why a cluster is away and who blocks a budget", async () => {
  const { output } = await bed.run("held");
  expect(output).toMatch(/nova +Deployment\/shop\/api +Frozen +- +cluster nova: disk full \(by ann\)\n/);
  expect(output).toMatch(/otech62 +Deployment\/shop\/api +ClusterUnreachable +- +no route to host\n/);
  expect(output).toContain("unfinished in the fleet: Deployment/shop/slow of otech62");
  expect(output).toContain("3 requests on hold: ");
});

test.each([
  ["held", /3 requests on hold: .*, 1 is shown\n/],
  ["managed", /4 workloads of 2 clusters, 1 is shown\n/],
])("%s says how many a limit leaves", async (command, sentence) => {
  expect((await bed.run(command, "--limit", "1")).output).toMatch(sentence);
});

test("held changes nothing", async () => {
  const before = await bed.client.connection.hgetall(bed.keys.holdTexts(bed.keys.shardOf("uid-1")));
  await bed.run("held", "--cluster", "nova", "--reason", "Frozen", "-o", "json");
  expect(await bed.client.connection.hgetall(bed.keys.holdTexts(bed.keys.shardOf("uid-1")))).toEqual(before);
});

test("managed lists workloads with their sources and patterns", async () => {
  const { output } = await bed.run("managed", "--cluster", "nova");
  expect(output).toMatch(/nova +Deployment\/shop\/api +Secret\/shop\/db\n/);
  expect(output).toMatch(/ConfigMap\/shop\/web-\.\* \(pattern\)\n/);
  expect(output).toContain("2 workloads of 1 cluster\n");
  const json: unknown = JSON.parse((await bed.run("managed", "--limit", "1", "-o", "json")).output);
  expect(json).toMatchObject({ count: 4, workloads: [{ cluster: "nova" }] });
});

const manyNames = Array.from({ length: 10_000 }, (_, at) => `cluster-${at}`).join(",");

test("a registration that stands by says which one serves its cluster", async () => {
  const list = new RedisClusterList(bed);
  const before = (await list.read()) ?? [];
  const why = ["it is the cluster nova (registration given#nova)"];
  await list.put([...before, { name: "again", labels: {}, id: "uid-1", status: { state: "Alias", why } }]);
  const { output } = await bed.run("clusters", "--cluster", "again");
  await list.put(before);
  await bed.client.connection.persist(bed.keys.fleet.clusters);
  expect(output).toMatch(/^again +Alias .* it is the cluster nova \(registration given#nova\)$/m);
});

test.each([
  [["clusters", "--cluster", "Nova"], "--cluster: no cluster is called Nova; did you mean nova?\n"],
  [["managed", "--cluster", "uid-9"], "--cluster: no cluster is called uid-9\n"],
  [
    ["held", "--cluster", manyNames],
    "--cluster: no cluster has a name of 128889 characters; write one name or id\n",
  ],
  [["held", "--reason", "Frosen"], "--reason Frosen: is not known; did you mean Frozen?\n"],
  [["changes", "--since", "soon"], "--since: "],
  [["clusters", "--filter", "x"], "--filter: no such flag; --help lists them\n"],
  [["clusters", "-o", "yaml"], "-o yaml: must be one of table, json\n"],
  [["managed", "--limit", "0"], "--limit 0: must be a whole number from 1 to 100000\n"],
])("wrong words are refused with field, value and mend (%#)", async (words, errors) => {
  expect(await bed.run(...words)).toEqual({ code: 78, output: "", errors: expect.stringContaining(errors) });
});

test.each([
  [["changes", "--cluster", "Nova"], "warning: --cluster: no cluster is called Nova; did you mean nova?\n"],
  [["acts", "--cluster", "uid-9"], "warning: --cluster: no cluster is called uid-9\n"],
  [["history", "--cluster", "Nova"], "warning: --cluster: no cluster is called Nova; did you mean nova?\n"],
  [["changes", "--cluster", "uid-1", "--name", "nothing"], ""],
  [["acts", "--cluster", "nova"], ""],
])("only an unknown cluster of which nothing is recorded is warned of: %j", async (words, errors) => {
  expect(await bed.run(...words)).toMatchObject({ code: 0, errors });
});

const unknown = "no workload there is known to be reloaded";

test.each([
  [["managed", "--namespace", "shopp"], `warning: --namespace shopp: ${unknown}; did you mean shop?\n`],
  [["changes", "--namespace", "bank"], `warning: --namespace bank: ${unknown}\n`],
  [["history", "--namespace", "shopp"], `warning: --namespace shopp: ${unknown}; did you mean shop?\n`],
  [
    ["changes", "--name", "Deployment/api"],
    "warning: --name Deployment/api: a name has no kind; write --name api\n",
  ],
  [["history", "--name", "Secret/db"], "warning: --name Secret/db: a name has no kind; write --name db\n"],
  [["changes", "--namespace", "shop", "--name", "nothing"], ""],
  [["managed", "--namespace", "shop"], ""],
])("an empty answer has a hint at a place or name that nothing has: %j", async (words, errors) => {
  expect(await bed.run(...words)).toMatchObject({ code: 0, errors });
});

test("changes of a cluster that is registered no more are found by its name", async () => {
  const at = { v: 1, time, cluster: { id: "uid-0", name: "retired" } } as const;
  await bed.write({ ...at, type: "change", change: "uid-0/db@7", source, resourceVersion: "7" });
  await bed.clock.sleep(5, AbortSignal.timeout(1000));
  const run = await bed.run("changes", "--cluster", "retired");
  expect(run).toMatchObject({ code: 0, errors: "", output: expect.stringContaining("1 change\n") });
});

test("a question without a Redis names the flag and the data dir", async () => {
  const run = await commandRun(["status", "--data-dir", "/nowhere"]);
  expect(run).toEqual({ code: 78, output: "", errors: expect.stringMatching(/^--redis-url: .*\/nowhere/) });
});
