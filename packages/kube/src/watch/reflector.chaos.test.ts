import { type FaultProxy, startFaultProxy } from "@fleet-reloader/testkit/fault-proxy/proxy";
import { SeededRandom } from "@fleet-reloader/testkit/memory/seeded-random";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { type FollowedCollection, followConfigMaps } from "../fixture/followed-collection.ts";
import { systemClock } from "../fixture/system-clock.ts";

const stormWrites = 800;

const expired = JSON.stringify({ type: "ERROR", object: { kind: "Status", code: 410, message: "too old" } });

/** The faults that may happen between us and a server, except that its history goes backwards. */
function faults(random: SeededRandom, cluster: SimCluster, proxy: FaultProxy, followed: FollowedCollection) {
  return [
    () => proxy.cutStreams(),
    () => proxy.cutStreams({ isMidLine: true }),
    () => proxy.injectLine("no json"),
    () => proxy.injectLine(expired),
    () => proxy.resetConnections(),
    () => proxy.answer({ status: random.pick([401, 403, 410, 429, 500, 503]) }),
    () => proxy.answer({ status: 504, isWatch: true, count: 2 }),
    () => proxy.loseReply({ method: "GET", isWatch: false }),
    () => proxy.doubleEvents({ isWatch: true, count: 3 }),
    () => cluster.endWatches(),
    () => followed.failHandler(random.below(3)),
  ];
}

function write(random: SeededRandom, cluster: SimCluster): void {
  const name = `c${random.below(40)}`;
  const namespace = random.pick(["shop", "bank"]);
  if (random.chance(0.3)) cluster.remove("ConfigMap", namespace, name);
  else {
    const data = { value: String(random.next()) };
    cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data });
  }
}

const truth = (cluster: SimCluster) =>
  Object.fromEntries(
    cluster
      .list("ConfigMap")
      .map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion])
      .sort(),
  );

const believed = (followed: FollowedCollection) => Object.fromEntries([...followed.view].sort());

test.each([1, 2])(
  "after a storm of writes and faults (seed %d) what is believed is what is true",
  async (seed) => {
    await using cluster = await startSimCluster({ controllers: false });
    await using proxy = await startFaultProxy({ target: cluster.url });
    const random = new SeededRandom(seed);
    await using followed = followConfigMaps(proxy.kubeconfig("sim", cluster.token));
    const wrong = faults(random, cluster, proxy, followed);
    // On a busy machine few events arrive during the storm, so it continues until there are enough.
    const isShort = () => followed.events.length <= 50 || followed.lists <= 1;
    for (let writes = 0; writes < stormWrites || isShort(); writes += 1) {
      write(random, cluster);
      if (random.chance(0.1)) random.pick(wrong)?.();
      // The pace of the storm; it waits for nothing.
      await systemClock.sleep(random.below(6), new AbortController().signal);
    }
    proxy.heal();
    followed.failHandler(0);
    await until("the view is the truth", () => {
      expect(believed(followed)).toEqual(truth(cluster));
      return true;
    });
    expect(followed.events.length).toBeGreaterThan(50);
    expect(followed.lists).toBeGreaterThan(1);
  },
  1_200_000,
);
