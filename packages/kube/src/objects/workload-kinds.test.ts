import { cronJob } from "@fleet-reloader/domain/kind/cron-job";
import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import { deploymentConfig } from "@fleet-reloader/domain/kind/pod-controller";
import { rollout } from "@fleet-reloader/domain/kind/rollout";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { StreamEvent } from "@fleet-reloader/engine/ports/source-stream";
import { customResources } from "@fleet-reloader/testkit/custom-resources";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { type CustomResource, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { declaredKind } from "../fixture/declared-kind.ts";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "../http/connection.ts";
import { KubeStreams } from "../watch/kube-streams.ts";
import { createKubeClusterApi } from "./kube-cluster-api.ts";

const signal = new AbortController().signal;
const knative = declaredKind("serving.knative.dev/v1/Service=spec.template");

const template = (image = "app:1") => ({
  metadata: { labels: { app: "web" } },
  spec: {
    containers: [
      { name: "main", image, env: [{ name: "KEPT", value: "1" }] },
      { name: "side", image: "side:1" },
    ],
  },
});
const manifest = (apiVersion: string, kind: string, spec: object, metadata: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name: "web", namespace: "shop", ...metadata },
  spec,
});

async function startWorld(custom: readonly CustomResource[] = customResources) {
  const cluster = await startSimCluster({ controllers: false, customResources: custom });
  const connection = new Connection({
    target: targetOf(cluster.kubeconfig()),
    clock: systemClock,
    userAgent: "test",
  });
  const log = new CollectedLog();
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const streams = new KubeStreams({
    ...{ connection, clock: systemClock, random: () => 0.5, log },
    absentMs: 50,
    timings: { backoffMs: 5, backoffMaxMs: 40, blockedMs: 30 },
  });
  return {
    ...{ cluster, log },
    api: createKubeClusterApi("c1", connection, [...knownKinds, knative]),
    /** Follows a kind and collects everything that its handler receives. */
    follow(kind: WorkloadKind) {
      const states: string[] = [];
      const seen: LiveWorkload[] = [];
      const handler = {
        listBegins: () => undefined,
        page: async (objects: readonly LiveWorkload[]) => void seen.push(...objects),
        listed: async () => undefined,
        events: async (events: readonly StreamEvent<LiveWorkload>[]) =>
          void seen.push(...events.map(({ object }) => object)),
      };
      const stream = streams.workloads(kind, handler, undefined);
      running.push(stream.run(stop.signal, (state) => void states.push(state)));
      return { states, seen };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(running);
      await connection.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  ["Rollout", "argoproj.io/v1alpha1", rollout.kind],
  ["DeploymentConfig", "apps.openshift.io/v1", deploymentConfig.kind],
  ["Service", "serving.knative.dev/v1", knative.kind],
])("a %s", (apiKind, apiVersion, kind) => {
  const ref = { kind, namespace: "shop", name: "web" };

  test("is read, and takes a variable without losing a container or another variable", async () => {
    await using world = await startWorld();
    world.cluster.apply(manifest(apiVersion, apiKind, { template: template() }));
    const before = await world.api.readWorkload(ref, signal);
    expect(before).toMatchObject({ ref, template: template(), generation: 1 });
    const env = [{ container: "main", name: "STAKATER_A", value: "x" }];
    const change = {
      resourceVersion: before?.resourceVersion ?? "",
      annotations: { note: "1" },
      template: { env, annotations: { mark: "m" } },
      templateBefore: before?.template,
    };
    const after = await world.api.patchWorkload(ref, change, signal);
    const written = world.cluster.get(apiKind, "shop", "web");
    expect(written?.spec).toMatchObject({
      template: {
        metadata: { labels: { app: "web" }, annotations: { mark: "m" } },
        spec: {
          containers: [
            { name: "main", image: "app:1" },
            { name: "side", image: "side:1" },
          ],
        },
      },
    });
    expect(JSON.stringify(after?.template)).toContain('{"name":"KEPT","value":"1"}');
    expect(JSON.stringify(after?.template)).toContain('{"name":"STAKATER_A","value":"x"}');
    expect(after?.annotations).toMatchObject({ note: "1" });
    await expect(world.api.patchWorkload(ref, change, signal)).rejects.toMatchObject({
      code: "kube.conflict",
    });
  });

  test("is not there where the API server does not know its kind", async () => {
    await using world = await startWorld([]);
    expect(await world.api.readWorkload(ref, signal)).toBeUndefined();
    expect(
      await world.api.patchWorkload(ref, { resourceVersion: "1", annotations: {} }, signal),
    ).toBeUndefined();
  });
});

describe("a kind that the API server may not have", () => {
  test("is absent without a list that would be refused, and served when it is installed", async () => {
    await using world = await startWorld([]);
    world.cluster.addUser("nobody", []);
    const followed = world.follow(knative);
    await until(
      "looked for several times",
      () => followed.states.filter((state) => state === "absent").length > 2,
    );
    expect(new Set(followed.states)).toEqual(new Set(["absent"]));
    expect(world.log.lines.filter(({ message }) => message.includes("serving.knative.dev/v1"))).toHaveLength(
      1,
    );
    world.cluster.addCustomResource({
      group: "serving.knative.dev",
      version: "v1",
      kind: "Service",
      plural: "services",
    });
    await until("it is in sync", () => followed.states.at(-1) === "watching");
    world.cluster.apply(manifest("serving.knative.dev/v1", "Service", { template: template() }));
    const [first] = await until("its objects are seen", () =>
      followed.seen.length > 0 ? followed.seen : undefined,
    );
    expect(first?.ref).toEqual({ kind: "Service.serving.knative.dev", namespace: "shop", name: "web" });
  });

  test("is looked for again when discovery is not answered: that is no absence", async () => {
    await using world = await startWorld();
    await world.cluster.stop();
    const followed = world.follow(rollout);
    await until("it waits", () => followed.states.includes("backoff"));
    expect(followed.states).not.toContain("absent");
  });
});

describe("a Rollout that refers to a Deployment", () => {
  const ref = { kind: "Rollout", namespace: "shop", name: "web" };
  const workloadRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  const apply = (cluster: Awaited<ReturnType<typeof startWorld>>["cluster"]) => {
    cluster.apply(
      manifest("apps/v1", "Deployment", { selector: { matchLabels: { app: "web" } }, template: template() }),
    );
    cluster.apply(manifest("argoproj.io/v1alpha1", "Rollout", { workloadRef }));
  };

  test("has the template of that, and tells which version of it was read", async () => {
    await using world = await startWorld();
    apply(world.cluster);
    const live = await world.api.readWorkload(ref, signal);
    expect(live?.template).toMatchObject({ spec: { containers: [{ image: "app:1" }, { image: "side:1" }] } });
    expect(live?.templateOwner).toEqual({
      ref: { kind: "Deployment", namespace: "shop", name: "web" },
      resourceVersion: world.cluster.get("Deployment", "shop", "web")?.metadata.resourceVersion,
      podSelector: "app=web",
      annotations: world.cluster.get("Deployment", "shop", "web")?.metadata.annotations ?? {},
      generation: 1,
    });
  });

  test("is seen with that template, and again when its controller has observed another", async () => {
    await using world = await startWorld();
    apply(world.cluster);
    const followed = world.follow(rollout);
    await until("it is seen", () => followed.seen.length === 1);
    expect(JSON.stringify(followed.seen[0]?.template)).toContain("app:1");
    world.cluster.patch("Deployment", "shop", "web", {
      spec: { template: { spec: { containers: [{ name: "main", image: "app:2" }] } } },
    });
    const observe = (status: object) =>
      world.cluster.patch("Rollout", "shop", "web", { status }, { form: "merge", subresource: "status" });
    observe({ phase: "Progressing" });
    observe({ workloadObservedGeneration: "2" });
    await until("it is seen with the other template", () => followed.seen.length === 2);
    expect(JSON.stringify(followed.seen[1]?.template)).toContain("app:2");
    expect(world.cluster.requestCount("get", "deployments").requests).toBe(2);
  });
});

describe("what is made and deleted", () => {
  const jobRef = { kind: "Job", namespace: "shop", name: "once" };
  const job = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "once", namespace: "shop" },
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] } },
    },
  };

  async function startShop() {
    const world = await startWorld();
    world.cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    return world;
  }

  test("a Job that is there under its name is the answer, and is left as it is", async () => {
    await using world = await startShop();
    const first = await world.api.createWorkload({ ref: jobRef, object: job }, signal);
    const labelled = { ...job, metadata: { ...job.metadata, labels: { second: "1" } } };
    const second = await world.api.createWorkload({ ref: jobRef, object: labelled }, signal);
    expect(second).toEqual(first);
    expect(world.cluster.list("Job", "shop")).toHaveLength(1);
  });

  test("exactly the one that was read is deleted; one that is gone is deleted", async () => {
    await using world = await startShop();
    const { uid, resourceVersion } = await world.api.createWorkload({ ref: jobRef, object: job }, signal);
    world.cluster.patch("Job", "shop", "once", { metadata: { labels: { moved: "on" } } });
    const conflict = { code: "kube.conflict" };
    await expect(world.api.deleteExactly(jobRef, { uid, resourceVersion }, signal)).rejects.toMatchObject(
      conflict,
    );
    await expect(world.api.deleteExactly(jobRef, { uid: "another" }, signal)).rejects.toMatchObject(conflict);
    await world.api.deleteExactly(jobRef, { uid }, signal);
    expect(world.cluster.list("Job", "shop")).toEqual([]);
    await world.api.deleteExactly(jobRef, { uid }, signal);
  });

  test("what was forbidden while it waited for its turn is neither made nor deleted", async () => {
    await using world = await startShop();
    const forbidden = async () => "hold" as const;
    const conflict = { code: "kube.conflict" };
    const made = { ref: jobRef, object: job };
    await expect(world.api.createWorkload(made, signal, forbidden)).rejects.toMatchObject(conflict);
    expect(world.cluster.list("Job", "shop")).toEqual([]);
    const { uid } = await world.api.createWorkload(made, signal, async () => "go");
    await expect(world.api.deleteExactly(jobRef, { uid }, signal, forbidden)).rejects.toMatchObject(conflict);
    expect(world.cluster.list("Job", "shop")).toHaveLength(1);
    await world.api.deleteExactly(jobRef, { uid }, signal, async () => "go");
    expect(world.cluster.list("Job", "shop")).toEqual([]);
  });

  test("a CronJob has its template where it is", async () => {
    await using world = await startShop();
    const jobTemplate = { spec: job.spec };
    world.cluster.apply(manifest("batch/v1", "CronJob", { schedule: "0 3 * * *", jobTemplate }));
    const live = await world.api.readWorkload({ kind: cronJob.kind, namespace: "shop", name: "web" }, signal);
    expect(live?.template).toMatchObject({ spec: { containers: [{ name: "a" }] } });
  });
});
