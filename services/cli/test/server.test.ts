import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccessWorld, subjectsOf, tokenOf } from "@fleet-reloader/dashboard/fixture/access-world";
import { fleetOf, overviewOf } from "@fleet-reloader/dashboard/fixture/served-fleet";
import { isJsonObject } from "@fleet-reloader/domain/json";
import { loadConfig } from "@fleet-reloader/runtime/config/load";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { openFreezes } from "@fleet-reloader/wiring/freezes";
import { afterAll, describe, expect, test } from "vitest";
import { freezeConfig } from "../src/freeze/freeze-config.ts";
import { startAskedWorld } from "./fixture/asked-world.ts";
import { commandRun } from "./fixture/command-run.ts";
import { startFleetBed } from "./fixture/fleet-bed.ts";
import { startServedApi } from "./fixture/served-api.ts";
import { watchFreezes } from "./fixture/watched-freezes.ts";

const all = { clusters: "*", namespaces: "*" } as const;
const subjects = subjectsOf({
  ann: [{ role: "admin", ...all }],
  bob: [{ role: "viewer", clusters: ["nova"], namespaces: ["shop"] }],
});
const folder = mkdtempSync(join(tmpdir(), "fr-server-"));
const freezeFile = join(folder, "freezes.yaml");
const config = loadConfig(freezeConfig, { args: ["--freeze-file", freezeFile], env: {} });
const open = openFreezes({ config, env: {}, userAgent: "test", clock: systemClock });
const bed = await startFleetBed();
const world = await startAskedWorld();
const places = ["--kubeconfig", `${world.dataDir}/kubeconfig`, "--data-dir", world.dataDir];
const { access } = createAccessWorld(subjects, fleetOf([overviewOf("nova"), overviewOf("otech62")]));
const asked = [...places, "--mark-key-file", world.keyFile];
const served = await startServedApi(bed.url, 2, asked, { access, freezes: open.stores });
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
  await open.close();
  rmSync(folder, { recursive: true });
});

const freeze = { scope: { cluster: "nova" }, reason: "disk full", by: "ann", untilMs: 4_000_000_000_000 };
// In an hour: a watcher that has said nothing for a minute is forgotten, and these tests may take longer.
await bed.client.connection.zadd(
  bed.keys.fleet.freezes,
  bed.clock.now() + 3_600_000,
  `worker-1 ${JSON.stringify(freeze)}`,
);
await bed.hold(bed.request("uid-1"), "Frozen");
await bed.hold(bed.request("uid-2"), "ClusterUnreachable");
await bed.hold(bed.request("uid-1", "web"), "BudgetUnfinished");
// Ages are told in whole days, so that two questions tell the same.
const time = new Date(bed.clock.now() - 3 * 86_400_000).toISOString();
const source = { kind: "Secret", namespace: "shop", name: "db" } as const;
for (const [id, name] of [["uid-1", "nova"] as const, ["uid-2", "otech62"] as const]) {
  const at = { v: 1, time, cluster: { id, name } } as const;
  const change = `${id}/db@7`;
  await bed.write({ ...at, type: "change", change, fleetChange: "f1-a", source, resourceVersion: "7" });
  const { workload } = bed.request(id);
  const sources = [{ ...source, change }];
  await bed.write({ ...at, type: "action", workload, action: "failed", fault: "kube.rejected", sources });
}
await bed.write({
  v: 1,
  time,
  type: "operator",
  action: "retry",
  by: "eve",
  target: "Deployment/api",
  reason: "incident 12",
  count: 2,
});
// A reader stops before the present millisecond.
await bed.clock.sleep(5, AbortSignal.timeout(60_000));

/** Runs a command by the server, as the owner of a token. */
const byServer = (words: readonly string[], owner = "ann") =>
  commandRun([...words, "--server", served.url], { env: { FLEET_RELOADER_TOKEN: tokenOf(owner) } });

/** What differs between any two runs: the time of an answer. */
function withoutTime(output: string): string {
  return output.replaceAll(/"(time|oldestMs)": ?("[^"]*"|\d+)/g, "");
}

describe("a command answers by a server what it answers by Redis and kubeconfig:", () => {
  test.each([
    ["status"],
    ["status", "-o", "json"],
    ["clusters"],
    ["clusters", "-o", "json"],
    ["clusters", "--cluster", "nova"],
    ["changes", "--since", "5d"],
    ["changes", "--since", "5d", "-o", "json"],
    ["changes", "--change", "f1-a", "--limit", "1"],
    ["queue"],
    ["queue", "--since", "2h", "-o", "json"],
    ["held"],
    ["held", "-o", "json"],
    ["held", "--cluster", "nova", "--reason", "Frozen"],
    ["held", "--limit", "1"],
    ["managed"],
    ["managed", "-o", "json"],
    ["managed", "--cluster", "uid-2", "--namespace", "shop", "--limit", "1"],
    ["acts"],
    ["acts", "-o", "json"],
    ["acts", "--person", "eve", "--text", "INCIDENT", "--limit", "1"],
    ["acts", "--action", "retri"],
    ["acts", "--since", "soon"],
    ["discard", "--reason", "retired", "--since", "5d"],
    ["discard", "--reason", "retired", "--cause", "NoProgress"],
    ["discard", "Secret/db", "--reason", "retired"],
    ["discard", "--reason", "retired", "--cluster", "vega"],
    ["history"],
    ["history", "--cluster", "nova", "--limit", "1"],
    ["history", "--change", "f1-a"],
    ["clusters", "--cluster", "Nova"],
    ["changes", "--cluster", "Nova"],
    ["acts", "--cluster", "uid-9"],
    ["history", "--cluster", "Nova"],
    ["held", "--reason", "Frosen"],
    ["changes", "--since", "soon"],
    ["history", "--since", "soon", "--limit", "0"],
    ["managed", "--limit", "0"],
    ["retry", "deploy/api"],
    ["retry", "Deploymnt/api", "--reason", "incident"],
    ["retry", "deploy/nothing", "--reason", "incident"],
    ["retry", "deploy/api", "--reason", "incident"],
    ["retry", "deploy/api", "--reason", "incident", "--expect", "37"],
    ["retry", "deploy/api", "--cluster", "vega", "--reason", "incident"],
    ["release", "Secret/db", "--reason", "incident"],
  ])("%s %s %s %s %s %s", async (...words) => {
    const direct = await bed.run(...words);
    const answer = await byServer(words);
    expect(withoutTime(answer.errors)).toBe(withoutTime(direct.errors));
    expect(withoutTime(answer.output)).toBe(withoutTime(direct.output));
    expect(answer.code).toBe(direct.code);
    expect(answer.output + answer.errors).not.toBe("");
  });

  test.each([
    ["explain", "deploy/api"],
    ["explain", "deploy/api", "-o", "json"],
    ["explain", "Deployment/web"],
    ["explain", "deploy/apo"],
    ["explain", "Secret/db"],
    ["plan", "Secret/db"],
    ["plan", "secret/db", "--key", "other", "-o", "json"],
    ["plan", "Secret/dbb"],
  ])("%s %s %s %s %s %s", async (...words) => {
    const question = [...words, "-n", "shop"];
    const direct = await world.ask(...question, "--redis-url", bed.url);
    const answer = await byServer([...question, "--cluster", "nova"]);
    expect({ ...answer, output: withoutTime(answer.output) }).toEqual({
      ...direct,
      output: withoutTime(direct.output),
      // The Redis of this test has other clusters. A server is one of the services, and knows which cluster it asks.
      errors: direct.errors.replace(/^warning: the services with this Redis do not know .*\n/, ""),
    });
    expect(answer.output + answer.errors).not.toBe("");
  });
});

// Before what is retried: a request that waits is not given up.
test("a discard by a server leaves what the act itself leaves", async () => {
  const words = ["discard", "deploy/api", "--since", "5d", "--reason", "it is retired"];
  const said = (run: { readonly output: string }, name: string) => run.output.replace(name, "NAME");
  const direct = await bed.run(...words, "--cluster", "nova", "--by", "ann");
  const answer = await byServer([...words, "--cluster", "otech62"]);
  expect([direct, answer]).toMatchObject([
    { code: 0, errors: "" },
    { code: 0, errors: "" },
  ]);
  expect(said(answer, "otech62")).toBe(said(direct, "nova"));
  const [byCommand, byApi] = (await bed.history()).slice(-2).map((record) => JSON.stringify(record));
  const shown = (text: string | undefined, name: string) =>
    text?.replaceAll(name, "NAME").replace(/"time":"[^"]*"/, "");
  expect(shown(byApi, "otech62")).toBe(shown(byCommand, "nova"));
  expect(await byServer(["acts"], "bob")).toEqual({
    code: 1,
    output: "",
    errors: expect.stringContaining("bob has not the role viewer in all namespaces of all clusters"),
  });
});

describe("an act by a server leaves what the act itself leaves:", () => {
  /** What an act has left, without when. */
  const lastRecord = async () => {
    const record = (await bed.history()).at(-1);
    return isJsonObject(record) ? { ...record, time: undefined } : record;
  };

  test.each([
    ["retry", "deploy/api", "--cluster", "nova"],
    ["retry", "deploy/api", "--yes"],
    ["replay", "cm/web-nginx", "--namespace", "shop", "--expect", "2"],
  ])("%s %s %s %s %s %s", async (...words) => {
    const why = ["--reason", "incident 4711"];
    const direct = await bed.run(...words, ...why, "--by", "ann");
    const left = await lastRecord();
    expect(direct).toMatchObject({ code: 0, errors: "" });
    expect(await byServer([...words, ...why])).toEqual(direct);
    expect(await lastRecord()).toEqual(left);
  });

  test.each([
    ["--cluster", "nova"],
    ["--namespace", "shop", "--workload", "deploy/api", "--until", "2099-01-01T00:00:00Z"],
    ["--cluster", "vega"],
  ])("freeze and unfreeze %s %s %s %s %s %s", async (...scope) => {
    const freezing = ["freeze", ...scope, "--reason", "disk full"];
    const place = ["--freeze-file", freezeFile];
    await using _ = watchFreezes(open, bed);
    const direct = await bed.run(...freezing, ...place, "--by", "ann");
    expect(direct.output).toContain("disk full (by ann");
    expect(await byServer(freezing)).toEqual(direct);
    expect(await open.stores[0].text()).toContain("by: ann");
    const lifting = scope.slice(0, scope.indexOf("--until") < 0 ? undefined : scope.indexOf("--until"));
    const lifted = await byServer(["unfreeze", ...lifting, "--reason", "it is over"]);
    expect(lifted).toMatchObject({ code: 0, errors: "" });
    expect(await open.stores[0].text()).not.toContain("by: ann");
    await bed.run(...freezing, ...place);
    expect(await bed.run("unfreeze", ...lifting, ...place)).toEqual(lifted);
  });
});

test.each([
  ["freeze", "--workload", "pod/api", "--reason", "incident"],
  ["freeze", "--fleet", "--until=-2h", "--reason", "incident"],
  ["freeze", "--reason", "incident"],
  ["unfreeze", "--reason", "over"],
])("%s %s %s %s %s is refused by a server in the words of the file", async (...words) => {
  const direct = await bed.run(...words, "--freeze-file", freezeFile);
  expect(direct).toMatchObject({ code: 78, output: "" });
  expect(await byServer(words)).toEqual(direct);
});

test("freezes lists what the workers obey", async () => {
  expect(await byServer(["freezes"])).toEqual({
    code: 0,
    output: `${served.url}:\n  cluster nova: disk full (by ann, until 2096-10-02T07:06:40.000Z)\n`,
    errors: "",
  });
});

test("freezes that cannot be read are told where freezes are listed", async () => {
  const { connection } = bed.client;
  await connection.set(bed.keys.fleet.unreadableFreezes, "entry 1: no reason");
  const line = "  freezes cannot be read, and nothing is rolled: entry 1: no reason\n";
  expect((await byServer(["freezes"])).output).toBe(
    `${served.url}:\n${line}  cluster nova: disk full (by ann, until 2096-10-02T07:06:40.000Z)\n`,
  );
  expect((await byServer(["status"])).output).toContain(line);
  await connection.del(bed.keys.fleet.freezes);
  expect((await byServer(["freezes"])).output).toBe(`${served.url}:\n${line}`);
  await connection.del(bed.keys.fleet.unreadableFreezes);
  expect((await byServer(["freezes"])).output).toBe(`${served.url}: nothing is frozen\n`);
});

test("whoever sees a part sees it, and is told the role that an act needs", async () => {
  const managed = await byServer(["managed"], "bob");
  expect(managed.output).toContain("2 workloads of 1 cluster\n");
  expect((await byServer(["queue"], "bob")).output).toContain("not shown: your grants show a part");
  expect((await byServer(["status"], "bob")).output).toContain("queue     not shown");
  const act = ["retry", "deploy/api", "--cluster", "nova", "--namespace", "shop", "--reason", "incident"];
  const before = await bed.history();
  expect(await byServer(act, "bob")).toEqual({
    code: 1,
    output: "",
    errors: expect.stringMatching(/bob has not the role operator in namespace shop of cluster nova; ask /),
  });
  expect(await bed.history()).toEqual(before);
});

test.each([
  [["retry", "deploy/api", "--reason", "incident", "--by", "eve"], "--by eve: with --server the owner"],
  [["freeze", "--fleet", "--reason", "incident", "--by", "eve"], "--by eve: with --server the owner"],
  [["freeze", "--fleet"], "--reason: it is missing"],
  [["unfreeze", "--cluster", "nova"], "--reason: it is missing"],
  [["unfreeze", "--cluster", "vega", "--reason", "over"], "cluster vega: it is not frozen in"],
  [["explain", "deploy/api", "-n", "shop"], "--cluster: it is missing, and the server has 2 clusters"],
  [["explain", "deploy/api", "-n", "shop", "--cluster", "otech62"], "--cluster otech62: none is connected"],
  [["lint", "-"], "--server: lint works on this machine alone and asks no server; leave it out"],
  [["access-token"], "--server: access-token works on this machine alone"],
])("%j by a server is refused with field, value and mend", async (words, errors) => {
  const run = await byServer(words);
  expect(run).toEqual({
    code: words[0] === "lint" ? 2 : 78,
    output: "",
    errors: expect.stringContaining(errors),
  });
});
