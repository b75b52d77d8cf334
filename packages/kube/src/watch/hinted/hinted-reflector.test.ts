import { anythingKey } from "@fleet-reloader/domain/hint/hint";
import { untilAborted } from "@fleet-reloader/engine/async/until-aborted";
import { HintInbox } from "@fleet-reloader/engine/hints/hint-inbox";
import type { HintStore, PendingHint } from "@fleet-reloader/engine/hints/hint-store";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { followHintedConfigMaps } from "../../fixture/followed-hints.ts";

const configMap = (name: string, value = "1", namespace = "shop") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace },
  data: { value },
});

const versionsIn = (cluster: SimCluster) =>
  new Map(
    cluster
      .list("ConfigMap")
      .map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]),
  );

async function startHinted(timings: Parameters<typeof followHintedConfigMaps>[1] = {}) {
  const cluster = await startSimCluster({ controllers: false });
  for (const name of ["a", "b", "c"]) cluster.apply(configMap(name));
  const user = cluster.addUser("lister", [{ verbs: ["list"], apiGroups: [""], resources: ["configmaps"] }]);
  const followed = followHintedConfigMaps(cluster.kubeconfig("lister"), timings);
  await until("the first list is complete", () => followed.isInSync);
  const lists = () => cluster.requestCount("list", "configmaps").requests;
  return {
    cluster,
    followed,
    user,
    lists,
    settled: (count: number) => until(`${count} hints are settled`, () => followed.settled === count),
    async [Symbol.asyncDispose]() {
      await followed[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

test("a hint at anything is settled also by a collection with the hints of another", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const settled: PendingHint[] = [];
  let give: (hints: readonly PendingHint[]) => void = () => undefined;
  const store: Pick<HintStore, "follow" | "settle"> = {
    follow: async (_, signal, onHints) => {
      give = onHints;
      await untilAborted(signal);
    },
    settle: async (_, hints) => void settled.push(...hints),
  };
  const inbox = new HintInbox({ cluster: "c1", store, log: new CollectedLog() });
  const stop = new AbortController();
  const running = inbox.run(stop.signal);
  const alsoHintedBy = { group: "apps", resource: "deployments" };
  await using followed = followHintedConfigMaps(cluster.kubeconfig(), {}, { inbox, alsoHintedBy });
  await until("the first list is complete", () => followed.isInSync);
  const hint = { key: anythingKey, number: 1 };
  give([hint]);
  await until("it is settled", () => settled.length > 0).finally(() => stop.abort());
  expect(settled).toEqual([hint]);
  await running;
});

describe("a collection that is read where hints say so", () => {
  test("is listed once, and needs no right but list", async () => {
    await using bed = await startHinted();
    expect([...bed.followed.view.keys()]).toEqual(["shop/a", "shop/b", "shop/c"]);
    bed.cluster.apply(configMap("a", "2"));
    bed.followed.hint("shop/a");
    await bed.settled(1);
    expect(bed.followed.view).toEqual(versionsIn(bed.cluster));
    expect([...bed.cluster.requests.keys()].filter((key) => /^(watch|get) /.test(key))).toEqual([]);
  });

  test("costs one read for a hint at an object, also where there is none", async () => {
    await using bed = await startHinted();
    const before = bed.lists();
    bed.cluster.apply(configMap("new"));
    bed.followed.hint("shop/new", "shop/absent", "nowhere/absent");
    await bed.settled(3);
    expect(bed.lists() - before).toBe(3);
    expect(bed.followed.events.map(({ type, object }) => [type, object.ref.name])).toEqual([
      ["upsert", "new"],
    ]);
  });

  test("costs one read for a hint that is repeated before it is read", async () => {
    await using bed = await startHinted();
    const before = bed.lists();
    bed.followed.hint(...Array.from({ length: 50 }, () => "shop/a"));
    await bed.settled(50);
    expect(bed.lists() - before).toBe(1);
  });

  test("is listed again instead of hundreds of reads", async () => {
    await using bed = await startHinted();
    const before = bed.lists();
    bed.followed.hint(...Array.from({ length: 600 }, (_, at) => `shop/n${at}`));
    await bed.settled(600);
    expect(bed.lists() - before).toBe(1);
  });

  test("shows what is deleted, and what is deleted and created again", async () => {
    await using bed = await startHinted();
    for (const name of ["a", "b"]) bed.cluster.remove("ConfigMap", "shop", name);
    bed.cluster.apply(configMap("b", "2"));
    bed.followed.hint("shop/a", "shop/b");
    await bed.settled(2);
    const seen = bed.followed.events.map(({ type, object }) => `${type} ${object.ref.name}`);
    expect(seen.toSorted()).toEqual(["delete a", "delete b", "upsert b"]);
    expect(bed.followed.view).toEqual(versionsIn(bed.cluster));
  });

  test("shows what was created without a name, and what was deleted together", async () => {
    await using bed = await startHinted();
    bed.cluster.apply(configMap("app-x7f2q"));
    bed.cluster.apply(configMap("elsewhere", "1", "other"));
    for (const name of ["a", "b"]) bed.cluster.remove("ConfigMap", "shop", name);
    bed.followed.hint("shop/");
    await bed.settled(1);
    expect([...bed.followed.view.keys()].toSorted()).toEqual(["shop/app-x7f2q", "shop/c"]);
  });

  test("is read again when nobody took what was read, or the API server failed", async () => {
    await using bed = await startHinted();
    bed.cluster.apply(configMap("a", "2"));
    bed.followed.failHandler(2);
    bed.cluster.failNext({ verb: "list", resource: "configmaps", status: 500, count: 2 });
    bed.followed.hint("shop/a");
    await bed.settled(1);
    expect(bed.followed.view).toEqual(versionsIn(bed.cluster));
  });
});

describe("a change that no hint told of", () => {
  const timings = { listEveryMs: 100, graceMs: 50 };

  test("is found by the next list, and named when no hint comes", async () => {
    await using bed = await startHinted(timings);
    bed.cluster.apply(configMap("a", "2"));
    bed.cluster.remove("ConfigMap", "shop", "b");
    bed.cluster.apply(configMap("d"));
    const missed = () => bed.followed.verdicts.flat().toSorted();
    await until("all are named", () => missed().length === 3);
    expect(missed()).toEqual(["shop/a", "shop/b", "shop/d"]);
    expect(bed.followed.view).toEqual(versionsIn(bed.cluster));
    await until("a later list found nothing", () => bed.followed.verdicts.at(-1)?.length === 0);
  });

  test("is not missed when its hint comes while it is waited for", async () => {
    await using bed = await startHinted({ listEveryMs: 100, graceMs: 3_600_000 });
    bed.cluster.apply(configMap("a", "2"));
    await until(
      "a list found it",
      () => bed.followed.view.get("shop/a") === versionsIn(bed.cluster).get("shop/a"),
    );
    bed.followed.hint("shop/a");
    await bed.settled(1);
    expect(bed.followed.verdicts.flat()).toEqual([]);
  });
});

// A namespace ends with its finalizers, some seconds after the DELETE, and no audit event of an object announces that.
test("an object that goes after it was seen deleted is no missed change", async () => {
  await using bed = await startHinted({ listEveryMs: 100, graceMs: 50 });
  const held = configMap("a");
  bed.cluster.apply({ ...held, metadata: { ...held.metadata, finalizers: ["example.com/hold"] } });
  bed.followed.hint("shop/a");
  await bed.settled(1);
  const client = new ApiClient({ url: bed.cluster.url, token: bed.cluster.token });
  await client.remove("ConfigMap", "a", "shop");
  bed.followed.hint("shop/a");
  await bed.settled(2);
  expect([...bed.followed.view.keys()]).toContain("shop/a");
  await client.patch("ConfigMap", "a", { metadata: { finalizers: null } }, "shop");
  await until("a list has found it gone", () => !bed.followed.view.has("shop/a"));
  bed.cluster.apply(configMap("b", "2"));
  await until("what comes later is judged", () => bed.followed.verdicts.flat().includes("shop/b"));
  expect(bed.followed.verdicts.flat()).not.toContain("shop/a");
});

test("with hints dropped, doubled or reordered, one list later nothing is missing", async () => {
  const change = fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e"),
    isRemoval: fc.boolean(),
    hints: fc.integer({ min: 0, max: 3 }),
    isLate: fc.boolean(),
    isWide: fc.boolean(),
  });
  await using bed = await startHinted();
  let settled = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 12 }), async (changes) => {
      const late: string[] = [];
      for (const [at, { name, isRemoval, hints, isLate, isWide }] of changes.entries()) {
        if (isRemoval) bed.cluster.remove("ConfigMap", "shop", name);
        else bed.cluster.apply(configMap(name, `${at}`));
        const places = Array.from({ length: hints }, () => (isWide ? "shop/" : `shop/${name}`));
        if (isLate) late.unshift(...places);
        else bed.followed.hint(...places);
        settled += hints;
      }
      bed.followed.hint(...late, "*");
      settled += 1;
      await bed.settled(settled);
      expect(bed.followed.view).toEqual(versionsIn(bed.cluster));
    }),
    { numRuns: 60 },
  );
});
