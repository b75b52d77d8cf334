import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Freeze } from "@fleet-reloader/domain/hold/freeze";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { IndexEntry } from "@fleet-reloader/engine/ports/reference-index";
import { RedisClient } from "@fleet-reloader/redis/connection/client";
import { embeddedSocket } from "@fleet-reloader/redis/connection/embedded-server";
import { Keys } from "@fleet-reloader/redis/connection/keys";
import { guardShards } from "@fleet-reloader/redis/connection/shard-guard";
import { RedisReferenceIndex } from "@fleet-reloader/redis/index/redis-reference-index";
import { RedisClusterList } from "@fleet-reloader/redis/ownership/redis-cluster-list";
import { loadServiceConfig } from "@fleet-reloader/runtime/config/service";
import { systemClock } from "@fleet-reloader/runtime/process/system-clock";
import { namesForTest } from "@fleet-reloader/testkit/contracts/index/index-under-test";
import { clockOfHaste } from "@fleet-reloader/testkit/memory/clock-of-haste";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { startRedis } from "@fleet-reloader/testkit/redis-server";
import { openFreezes } from "@fleet-reloader/wiring/freezes";
import { afterAll, expect, test } from "vitest";
import { coveredFreeze } from "../src/freeze/covered-freeze.ts";
import { freezeConfig } from "../src/freeze/freeze-config.ts";
import { watchFreezes } from "./fixture/watched-freezes.ts";

const redis = await startRedis();
const log = new CollectedLog();
const client = new RedisClient({ url: redis.url }, log);
const keys = new Keys("fleet-reloader", 2);
await guardShards({ client, keys });
await new RedisClusterList({ client, keys }).put([
  { name: "nova", labels: { env: "prod" }, id: "uid-1" },
  { name: "otech62", labels: { env: "test" }, id: "uid-2" },
  { name: "away", labels: {} },
]);
// A process that serves them would keep the list from ending after a minute.
await client.connection.persist(keys.fleet.clusters);

/** A Deployment `api` of the namespace `shop` that uses the ConfigMap `app` and every Secret whose name begins with `db-`. */
const api: IndexEntry = {
  workload: { kind: "Deployment", namespace: "shop", name: "api" },
  sources: ["ConfigMap/shop/app"],
  patterns: [{ kind: "Secret", item: "db-.*" }],
  scope: "",
  window: {},
};
for (const cluster of ["uid-1", "uid-2"]) {
  const index = new RedisReferenceIndex({ cluster, client, keys, clock: systemClock, names: namesForTest });
  await index.open();
  await index.put([api]);
}
afterAll(async () => {
  await client.close();
  await redis[Symbol.asyncDispose]();
});

interface FreezingOptions {
  readonly redisArgs?: readonly string[];
  /** The file of the data dir is named, as one that workers read. */
  readonly isFileNamed?: boolean;
  /** An embedded Redis listens in the data dir. */
  readonly isEmbedded?: boolean;
  /** A watcher reads the file of the data dir. */
  readonly isRead?: boolean;
  /** Why watchers cannot read their documents. */
  readonly unreadable?: string;
  /** The time of the command. */
  readonly clock?: Clock;
  /** Is told what stands on standard output when the freeze is written. */
  readonly onWritten?: (says: string) => void;
  /** A watcher that is gone said a minute ago that it reads this freeze. */
  readonly saidBefore?: Freeze;
}

/** Runs the command with a data dir of its own. */
async function freezing(args: readonly string[], options: FreezingOptions = {}) {
  const {
    isEmbedded = false,
    isFileNamed = true,
    isRead = true,
    clock = isRead ? systemClock : clockOfHaste(systemClock),
    onWritten,
    redisArgs = ["--redis-url", redis.url],
    saidBefore,
    unreadable,
  } = options;
  const dir = mkdtempSync(join(tmpdir(), "fr-cli-"));
  const file = join(dir, "freezes.yaml");
  try {
    await client.connection.del(keys.fleet.freezes, keys.fleet.unreadableFreezes);
    if (unreadable !== undefined) await client.connection.set(keys.fleet.unreadableFreezes, unreadable);
    const said = `watcher-gone ${JSON.stringify(saidBefore)}`;
    if (saidBefore !== undefined) await client.connection.zadd(keys.fleet.freezes, Date.now() - 60_000, said);
    if (isEmbedded) writeFileSync(embeddedSocket(dir), "");
    const place = ["--data-dir", dir, ...(isFileNamed ? ["--freeze-file", file] : [])];
    const given = { args: [...place, "--by", "ann", ...redisArgs, ...args], env: {} };
    const config = await loadServiceConfig("fleet-reloader freeze", freezeConfig, given);
    const open = openFreezes({ config, env: {}, userAgent: "test", clock: systemClock });
    await using _ = isRead ? watchFreezes(open, { client, keys }) : undefined;
    let written = "";
    const wrote = (says: string) => {
      written = says;
      onWritten?.(says);
    };
    const report = await coveredFreeze(open.stores[0], config, { env: {}, clock, log, onWritten: wrote });
    await open.close();
    return { ...report, says: `${written}${report.says}`, text: readFileSync(file, "utf8") };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

test.each([
  [["--fleet"], "2 workloads of 2 clusters: nova, otech62"],
  [["--cluster", "nova"], "1 workload of 1 cluster: nova"],
  [["--cluster", "uid-1"], "1 workload of 1 cluster: nova"],
  [["--cluster-selector", "env=test"], "1 workload of 1 cluster: otech62"],
  [["--namespace", "shop"], "2 workloads of 2 clusters: nova, otech62"],
  [["--workload", "Deployment/api"], "2 workloads of 2 clusters: nova, otech62"],
  [["--workload", "deploy/api"], "2 workloads of 2 clusters: nova, otech62"],
  [["--workload", "deployments.apps/api", "--cluster", "nova"], "1 workload of 1 cluster: nova"],
  [["--source", "cm/app"], "2 workloads of 2 clusters: nova, otech62"],
  [["--source", "secret/db-main"], "2 workloads of 2 clusters: nova, otech62"],
])("freeze %j says what it covers", async (args, covers) => {
  const report = await freezing(args);
  expect(report).toMatchObject({ exitCode: 0, warning: undefined });
  expect(report.says).toContain(`it covers ${covers}\n`);
});

test("a freeze of a Deployment covers a Rollout that refers to it for its template", async () => {
  const templateOwner = { kind: "Deployment", namespace: "argo", name: "web-template" };
  const workload = { kind: "Rollout", namespace: "argo", name: "web" };
  const at = { cluster: "uid-2", client, keys, clock: systemClock, names: namesForTest };
  const index = new RedisReferenceIndex(at);
  await index.open();
  await index.put([
    { workload, templateOwner, sources: ["ConfigMap/argo/app"], patterns: [], scope: "", window: {} },
  ]);
  const report = await freezing(["--namespace", "argo", "--workload", "Deployment/web-template"]);
  await index.remove([workload]);
  expect(report).toMatchObject({ exitCode: 0, warning: undefined });
  expect(report.says).toContain("it covers 1 workload of 1 cluster: otech62\n");
});

// None of these may look like a success: the person who froze believes that nothing rolls.
test.each([
  [["--cluster", "Nova"], "no cluster is called Nova; did you mean nova?"],
  [["--cluster", "nova "], "no cluster is called nova ; did you mean nova?"],
  [["--cluster", "nova,otech62"], "no cluster is called nova,otech62"],
  [["--cluster", "nov*"], "no cluster is called nov*"],
  [["--cluster", "away"], "no workload is reloaded there"],
  [["--cluster-selector", "env=Prod"], "no cluster has these labels"],
  [["--namespace", "shopp"], "no workload of namespace shopp is reloaded; did you mean shop?"],
  [["--workload", "sts/api"], "no StatefulSet/api is reloaded"],
  [["--workload", "Deployment/apii"], "no Deployment/apii is reloaded; did you mean Deployment/api?"],
  [["--workload", "Service.serving.knative.dev/api"], "no Service.serving.knative.dev/api is reloaded"],
  [
    ["--source", "ConfigMap/apps"],
    "nothing that is reloaded uses ConfigMap/apps; did you mean ConfigMap/app?",
  ],
  [["--source", "Secret/app"], "nothing that is reloaded uses Secret/app"],
  [["--workload", "deploy/api", "--namespace", "other"], "no workload of namespace other is reloaded"],
])("freeze %j covers nothing and says so", async (args, why) => {
  const report = await freezing(args);
  expect(report.exitCode).toBe(3);
  expect(report.warning).toContain(`it covers nothing: ${why}`);
  // The freeze is written all the same: what it names may come later.
  expect(report.text).toContain("by: ann");
});

test.each([
  [["--workload", "Deploymnt/api"], "write Deployment/api"],
  [["--workload", "deployment api"], "is no object; write Kind/name"],
  [["--workload", "api"], "is no object; write Kind/name"],
  [["--workload", "pod/api"], "is not of a known kind of workload"],
  [["--workload", "cm/app"], "it is a source; write source: ConfigMap/app"],
  [["--workload", "Deployment/*"], "is no object; write Kind/name"],
  [["--source", "deploy/api"], "is no source; write ConfigMap/name"],
  [["--namespace", "Shop"], "is no name of a namespace"],
  [["--namespace", "shop-*"], "is no name of a namespace"],
  [["--cluster-selector", "env in prod"], "is no label selector"],
  // The last one alone was frozen.
  [
    ["--workload", "deploy/api", "--workload", "deploy/web"],
    "--workload deploy/web: it was given before, as --workload deploy/api",
  ],
  [["-n", "shop", "--namespace", "pay"], "--namespace pay: it was given before, as -n shop"],
  [[], "does not say what is frozen"],
  [["--fleet", "--cluster", "nova"], "is about the whole fleet and about a part of it"],
  [["--fleet", "--until", "2 days"], "is no time"],
  [["--fleet", "--until", "2026-02-30T18:00:00Z"], 'until: "2026-02-30T18:00:00Z" is no time; write for'],
  [["--fleet", "--until", "9999999d"], 'until: "9999999d" is no time'],
  [["--fleet", "--until", "100000000d"], 'until: "100000000d" is no time'],
  [["--fleet", "--until=-100000000d"], 'until: "-100000000d" is no time'],
])("freeze %j is refused", async (args, mend) => {
  await expect(freezing(args)).rejects.toMatchObject({
    code: "config.invalid",
    message: expect.stringContaining(mend),
  });
});

test("a freeze in a data dir that nothing uses fails and names the other places", async () => {
  const report = await freezing(["--fleet"], { redisArgs: [], isFileNamed: false });
  expect(report).toMatchObject({ exitCode: 3, warning: expect.stringContaining("--freeze-configmap") });
});

// So a pod of a watcher did: its data dir is its own, and the workers of the same Redis never read its file.
test("a Redis alone makes no success of a freeze in a file that no worker reads", async () => {
  const report = await freezing(["--fleet"], { isFileNamed: false });
  expect(report.exitCode).toBe(3);
  expect(report.warning).toContain("no known fleet-reloader reads this file");
  expect(report.says).not.toContain("it covers");
});

test("the file of a data dir with an embedded Redis is read by its fleet-reloader", async () => {
  const report = await freezing(["--fleet"], { isFileNamed: false, isEmbedded: true });
  expect(report).toMatchObject({ exitCode: 0, says: expect.stringContaining("it covers 2 workloads") });
});

test("a freeze in a document that no watcher reads says that it may hold nothing", async () => {
  const report = await freezing(["--fleet"], { isRead: false });
  expect(report.exitCode).toBe(3);
  expect(report.warning).toMatch(
    /^warning: it may hold nothing: no watcher has read \S+freezes.yaml within 20 s. Name the document that the watchers and workers read: --freeze-configmap/,
  );
  expect(report.says).not.toContain("it covers");
  // It may be read later.
  expect(report.text).toContain("by: ann");
});

// So it was after a fleet was moved to another ConfigMap.
test("a freeze that equals one of watchers that are gone counts as not read", async () => {
  const saidBefore = { scope: {}, reason: "release", by: "ann" };
  const report = await freezing(["--fleet", "--reason", "release"], { isRead: false, saidBefore });
  expect(report).toMatchObject({ exitCode: 3, warning: expect.stringContaining("no watcher has read") });
});

test("a freeze that nobody reads while all is held is no failure", async () => {
  const report = await freezing(["--fleet"], { isRead: false, unreadable: "entry 1: no reason" });
  expect(report).toMatchObject({
    exitCode: 0,
    warning: expect.stringContaining("freezes cannot be read, and nothing is rolled: entry 1: no reason"),
  });
});

// Whoever stops the command has to know that the freeze stands.
test("a freeze is told at once, and a Redis that hangs then is given up", async () => {
  let said = "";
  let skippedMs = 0;
  const clock: Clock = {
    now: () => systemClock.now(),
    monotonic: () => systemClock.monotonic() + skippedMs,
    sleep(ms, signal) {
      // The first look at what watchers say is over.
      if (ms < 1000 && skippedMs === 0) redis.signal("SIGSTOP");
      else if (skippedMs === 0) return systemClock.sleep(ms, signal);
      skippedMs += ms;
      return systemClock.sleep(0, signal);
    },
  };
  const onWritten = (says: string) => {
    said = skippedMs === 0 ? says : "";
  };
  try {
    const report = await freezing(["--fleet"], { isRead: false, clock, onWritten });
    expect(said).toMatch(/^frozen in \S+freezes.yaml: /);
    expect(report).toMatchObject({ exitCode: 3, warning: expect.stringContaining("Redis does not answer") });
    expect(skippedMs).toBeLessThan(25_000);
  } finally {
    redis.signal("SIGCONT");
  }
});

test("a freeze covers nothing where no fleet-reloader uses the Redis", async () => {
  await using other = await startRedis();
  const report = await freezing(["--fleet"], { redisArgs: ["--redis-url", other.url] });
  expect(report).toMatchObject({
    exitCode: 3,
    warning: expect.stringContaining("no fleet-reloader serves clusters with this Redis now"),
  });
});

test("an end in days counts from now", async () => {
  const { text } = await freezing(["--fleet", "--until", "2d"]);
  const [, until = ""] = /until: '?([^'\n]+)/.exec(text) ?? [];
  expect(Math.abs(Date.parse(until) - Date.now() - 2 * 86_400_000)).toBeLessThan(60_000);
});
