import { podSelectorOf } from "@fleet-reloader/domain/rollout-state/pod-selector";
import { podTrouble } from "@fleet-reloader/domain/rollout-state/pod-trouble";
import { sourceKey } from "@fleet-reloader/domain/source/source";
import { describe, expect, test } from "vitest";
import { ManualClock } from "./manual-clock.ts";
import { MemoryCluster } from "./memory-cluster.ts";
import { MemoryPods } from "./memory-pods.ts";
import { SeededRandom } from "./seeded-random.ts";

const longMs = 3000;
const app = { kind: "ConfigMap", namespace: "ns", name: "app" } as const;

function bed(replicas = 1) {
  const clock = new ManualClock();
  const controllers = new MemoryPods({ clock, random: new SeededRandom(1), replicas: () => replicas });
  const cluster = new MemoryCluster({ clock, controllers });
  const running = (ref: Parameters<MemoryPods["of"]>[0]) =>
    controllers.of(ref).map(({ started }) => {
      const read = started?.reads.get(sourceKey(app));
      return (
        started && [...(read?.content?.data ?? [])].map(([key, value]) => `${key}=${decode(value)}`).join()
      );
    });
  return { clock, controllers, cluster, running };
}

function decode(value: Uint8Array): string {
  return new TextDecoder().decode(value);
}

function template(image: string, optional = false) {
  const envFrom = [{ configMapRef: { name: "app", optional } }];
  return { metadata: { labels: { app: "api" } }, spec: { containers: [{ name: "main", image, envFrom }] } };
}

describe("pods", () => {
  test("read what is live when they start, and not again", async () => {
    const { clock, cluster, running } = bed();
    cluster.setSource("ConfigMap", "app", { a: "1" });
    const ref = cluster.setWorkload("api", { template: template("app:1") });
    expect(running(ref)).toEqual([]);
    await clock.advance(longMs);
    cluster.setSource("ConfigMap", "app", { a: "2" });
    await clock.advance(longMs);
    expect(running(ref)).toEqual(["a=1"]);
  });

  test("of a new template read anew, and the old ones go", async () => {
    const { clock, cluster, running } = bed(2);
    cluster.setSource("ConfigMap", "app", { a: "1" });
    const ref = cluster.setWorkload("api", { template: template("app:1") });
    await clock.advance(longMs);
    cluster.setSource("ConfigMap", "app", { a: "2" });
    cluster.setWorkload("api", { template: template("app:2") });
    await clock.advance(longMs);
    expect(running(ref)).toEqual(["a=2", "a=2"]);
  });

  test("are as many as their workload is scaled to, and new ones read anew", async () => {
    const { clock, cluster, running } = bed();
    cluster.setSource("ConfigMap", "app", { a: "1" });
    const ref = cluster.setWorkload("api", { template: template("app:1") });
    const scale = async (replicas: number) => {
      await clock.advance(longMs);
      cluster.setWorkload("api", { fields: { spec: { replicas } }, manager: "kubectl-scale" });
      await clock.advance(longMs);
      return running(ref);
    };
    cluster.setSource("ConfigMap", "app", { a: "1" });
    const first = await scale(2);
    cluster.setSource("ConfigMap", "app", { a: "2" });
    expect([first, await scale(3)]).toEqual([
      ["a=1", "a=1"],
      ["a=1", "a=1", "a=2"],
    ]);
    expect([await scale(0), await scale(1)]).toEqual([[], ["a=2"]]);
    expect(cluster.workload(ref)?.generation).toBe(5);
    expect(cluster.writes.filter(({ isTemplateChanged }) => isTemplateChanged)).toHaveLength(1);
  });

  test("wait for a required source, and not for an optional one", async () => {
    const { clock, cluster, running } = bed();
    const ref = cluster.setWorkload("api", { template: template("app:1") });
    await clock.advance(longMs);
    expect(running(ref)).toEqual([undefined]);
    cluster.setSource("ConfigMap", "app", { a: "1" });
    await clock.advance(longMs);
    expect(running(ref)).toEqual(["a=1"]);
    cluster.deleteSource(app);
    cluster.setWorkload("api", { template: template("app:2", true) });
    await clock.advance(longMs);
    expect(running(ref)).toEqual([""]);
  });

  test("that are evicted read anew without a new template", async () => {
    const { clock, cluster, controllers, running } = bed();
    cluster.setSource("ConfigMap", "app", { a: "1" });
    const ref = cluster.setWorkload("api", { template: template("app:1") });
    await clock.advance(longMs);
    cluster.setSource("ConfigMap", "app", { a: "2" });
    controllers.evict(ref);
    await clock.advance(longMs);
    expect(running(ref)).toEqual(["a=2"]);
  });

  test("go with their workload", async () => {
    const { clock, cluster, controllers } = bed();
    const ref = cluster.setWorkload("api", { template: template("app:1", true) });
    await clock.advance(longMs);
    cluster.deleteWorkload(ref);
    expect(controllers.of(ref)).toEqual([]);
  });

  test("are listed as the API server lists them, by the selector of their workload", async () => {
    const { clock, cluster } = bed();
    const ref = cluster.setWorkload("api", { template: template("app:1", true) });
    const other = { metadata: { labels: { app: "web" } }, spec: { containers: [] } };
    cluster.setWorkload("web", { template: other });
    await clock.advance(longMs);
    const selector = podSelectorOf(cluster.workload(ref)?.object) ?? "";
    const pods = await cluster.listPods("ns", selector, new AbortController().signal);
    expect(pods).toMatchObject([
      {
        metadata: { labels: { app: "api", "pod-template-hash": expect.any(String) } },
        status: {
          phase: "Running",
          containerStatuses: [{ state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }],
        },
      },
    ]);
    expect(podTrouble(pods)).toBeUndefined();
  });
});
