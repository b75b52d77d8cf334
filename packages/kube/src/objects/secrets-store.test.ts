import type { StreamState } from "@fleet-reloader/engine/ports/source-stream";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { secretsStoreResources } from "@fleet-reloader/testkit/secrets-store";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "../http/connection.ts";
import { KubeStreams } from "../watch/kube-streams.ts";
import { createKubeClusterApi } from "./kube-cluster-api.ts";

const signal = new AbortController().signal;
const vault = { kind: "SecretProviderClass", namespace: "ns", name: "vault" } as const;
const group = { apiVersion: "secrets-store.csi.x-k8s.io/v1" };

async function startWorld(
  customResources: typeof secretsStoreResources | readonly [] = secretsStoreResources,
) {
  const cluster = await startSimCluster({ controllers: false, customResources });
  const target = targetOf(cluster.kubeconfig());
  const connection = new Connection({ target, clock: systemClock, userAgent: "test" });
  const lifetime = new AbortController();
  const states: StreamState[] = [];
  /** `class@` and the statuses' version, as the engine receives them. */
  const versions: string[] = [];
  let lists = 0;
  const running: Promise<void>[] = [];
  return {
    ...{ cluster, states, versions, lists: () => lists },
    api: createKubeClusterApi("c1", connection, []),
    class: (annotations: Readonly<Record<string, string>> = {}) =>
      cluster.apply({
        ...{ ...group, kind: "SecretProviderClass" },
        metadata: { name: "vault", namespace: "ns", annotations, labels: { team: "a" } },
      }),
    status: (pod: string, version: string, labels: Readonly<Record<string, string>> = {}) =>
      cluster.apply({
        ...{ ...group, kind: "SecretProviderClassPodStatus" },
        metadata: { name: `${pod}-vault`, namespace: "ns", labels },
        status: {
          ...{ podName: pod, secretProviderClassName: "vault" },
          objects: [
            { id: "b", version },
            { id: "a", version: "1" },
          ],
        },
      }),
    follow() {
      const streams = new KubeStreams({
        ...{ connection, clock: systemClock, random: Math.random, log: new CollectedLog(), absentMs: 20 },
        timings: { backoffMs: 5, backoffMaxMs: 10 },
      });
      const note = (
        all: readonly { readonly ref: { readonly name: string }; readonly resourceVersion: string }[],
      ) => versions.push(...all.map(({ ref, resourceVersion }) => `${ref.name}@${resourceVersion}`));
      const handler = {
        listBegins: () => undefined,
        page: async (sources: Parameters<typeof note>[0]) => void note(sources),
        listed: async () => {
          lists += 1;
        },
        events: async (events: readonly { readonly object: Parameters<typeof note>[0][number] }[]) =>
          void note(events.map(({ object }) => object)),
      };
      const stream = streams.sources("SecretProviderClass", handler, undefined);
      running.push(stream.run(lifetime.signal, (state) => void states.push(state)));
    },
    async [Symbol.asyncDispose]() {
      lifetime.abort();
      await Promise.all(running);
      await connection.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

const textsOf = (content: ReadonlyMap<string, Uint8Array> | undefined) =>
  Object.fromEntries([...(content ?? [])].map(([id, version]) => [id, new TextDecoder().decode(version)]));

describe("a secret provider class", () => {
  test("has the content of its newest pod status, and its own annotations and labels", async () => {
    await using world = await startWorld();
    world.class({ "reloader.stakater.com/ignore": "true" });
    world.status("api-1", "v1");
    world.status("api-2", "v2");
    const read = await world.api.readSource(vault, signal);
    expect(textsOf(read?.content?.data)).toEqual({ a: "1", b: "v2" });
    expect(read?.annotations).toEqual({ "reloader.stakater.com/ignore": "true" });
    expect(read?.labels).toEqual({ team: "a" });
    expect(read?.asOfSeconds).toBeGreaterThan(1_700_000_000);
  });

  test("that no pod mounts is neither gone nor empty: nothing shows its content", async () => {
    await using world = await startWorld();
    world.class();
    expect(await world.api.readSource(vault, signal)).toMatchObject({ content: undefined });
  });

  test("of a cluster without the driver is the same, and there are no names of any", async () => {
    await using world = await startWorld([]);
    expect(await world.api.readSource(vault, signal)).toMatchObject({ content: undefined });
    expect(await world.api.listSourceNames("SecretProviderClass", "ns", signal)).toEqual([]);
  });

  // If it counted as absent, the change would be acknowledged and lost.
  test("that may not be read is a fault where the driver is", async () => {
    await using world = await startWorld();
    world.cluster.failNext({ verb: "list", resource: "secretproviderclasspodstatuses", status: 403 });
    await expect(world.api.readSource(vault, signal)).rejects.toMatchObject({ code: "kube.forbidden" });
  });
});

describe("the stream of secret provider classes", () => {
  test("shows each class in the version of its newest status, and ignores labels", async () => {
    await using world = await startWorld();
    world.status("api-1", "v1");
    world.status("api-2", "v1");
    world.follow();
    await until("it has listed", () => world.lists() === 1);
    expect(world.versions).toHaveLength(1);
    world.status("api-2", "v1", { node: "n" });
    await until("the label is seen", () => world.versions.length === 2);
    expect(new Set(world.versions).size).toBe(1);
    world.status("api-1", "v2");
    await until("the rotation is seen", () => new Set(world.versions).size === 2);
  });

  test("waits for a driver that is not installed, as if there were nothing to see", async () => {
    await using world = await startWorld([]);
    world.follow();
    await until("it is told", () => world.states.filter((state) => state === "absent").length > 1);
    expect(new Set(world.states)).toEqual(new Set(["absent"]));
  });
});
