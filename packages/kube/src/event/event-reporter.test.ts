import { knownKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { RollReport } from "@fleet-reloader/engine/ports/reporter";
import { customResources } from "@fleet-reloader/testkit/custom-resources";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { holds, until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { createEventReporter } from "./event-reporter.ts";

const objects = {
  Deployment: { apiVersion: "apps/v1", kind: "Deployment" },
  Rollout: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout" },
} as const;

const failure = { code: "kube.rejected", message: "quota", changedKinds: ["Secret"] } as const;

async function startWorld() {
  const cluster = await startSimCluster({ controllers: false, customResources });
  const meter = new CountingMeter();
  const log = new CollectedLog();
  cluster.addUser("worker");
  const connection = new Connection({
    target: targetOf(cluster.kubeconfig("worker")),
    clock: systemClock,
    userAgent: "test",
  });
  let isEngaged = true;
  const makeReporter = () =>
    createEventReporter({
      ...{ meter, log },
      connectionOf: (id) => (id === "c1" && isEngaged ? connection : undefined),
      workloadKinds: knownKinds,
      instance: "pod-1",
      clock: systemClock,
      random: Math.random,
    });
  const reporter = makeReporter();
  const labels = { app: "api" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };
  const uids: Record<string, string> = {};
  for (const kind of ["Deployment", "Rollout"] as const) {
    const metadata = { name: "api", namespace: "shop" };
    const made = cluster.apply({
      ...objects[kind],
      metadata,
      spec: { selector: { matchLabels: labels }, template },
    });
    uids[kind] = text(made, "metadata", "uid");
  }
  const reportHead = (kind: keyof typeof objects) => ({
    cluster: "c1",
    clusterName: "one",
    workload: { kind, namespace: "shop", name: "api" },
    atMs: Date.UTC(2026, 0, 1),
  });
  return {
    ...{ cluster, meter, log, reporter, makeReporter, uids, reportHead },
    roll(kind: keyof typeof objects = "Deployment", name = "settings"): RollReport {
      const source = { kind: "ConfigMap", namespace: "shop", name, reason: "SourceChanged" } as const;
      return { ...reportHead(kind), uid: uids[kind] ?? "", strategy: "annotations", sources: [source] };
    },
    unreadable: (value: string) => ({
      ...reportHead("Deployment"),
      uid: uids.Deployment ?? "",
      problem: { annotation: "a", value, problem: "is wrong", mend: "mend it" },
    }),
    engage(whether: boolean) {
      isEngaged = whether;
    },
    closeConnection: () => connection.close(),
    events: () => cluster.list("Event", "shop"),
    sent: (count: number) => until("sent", () => meter.count("notified event sent") === count),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

describe("a report becomes an Event on its workload", () => {
  test("of a budget only when the rollouts that block it do not end, and by their names", async () => {
    await using world = await startWorld();
    const held = {
      ...{
        ...world.reportHead("Deployment"),
        uid: world.uids.Deployment ?? "",
        reason: "BudgetUnfinished" as const,
      },
      why: "as many rollouts of the fleet are unfinished as its budget allows; unfinished: Deployment/shop/web of nova",
    };
    world.reporter.held({ ...held, isStuck: false });
    world.reporter.held({ ...held, isStuck: true });
    await world.reporter.stop(60_000);
    expect(world.events()).toMatchObject([
      { reason: "ReloadHeld", message: expect.stringContaining("unfinished: Deployment/shop/web of nova") },
    ]);
  });

  test("of a built-in or a custom kind, found by its uid, from the peer's component", async () => {
    await using world = await startWorld();
    world.reporter.rolled(world.roll("Deployment"));
    world.reporter.rolled(world.roll("Rollout"));
    await world.reporter.stop(60_000);
    expect(world.events()).toMatchObject([
      {
        involvedObject: {
          apiVersion: "apps/v1",
          kind: "Deployment",
          namespace: "shop",
          name: "api",
          uid: world.uids.Deployment,
        },
        type: "Normal",
        reason: "Reloaded",
        source: { component: "reloader-configmaps" },
        reportingComponent: "reloader-configmaps",
        reportingInstance: "pod-1",
        firstTimestamp: "2026-01-01T00:00:00Z",
        count: 1,
      },
      { involvedObject: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", uid: world.uids.Rollout } },
    ]);
    expect(world.meter.count("notified event sent")).toBe(2);
  });

  test("also when whoever reports did not get to see the workload", async () => {
    await using world = await startWorld();
    world.reporter.failed({ ...world.reportHead("Deployment"), ...failure });
    await world.reporter.stop(60_000);
    const involvedObject = { uid: world.uids.Deployment };
    const source = { component: "reloader-secrets" };
    expect(world.events()).toMatchObject([{ type: "Warning", reason: "ReloadFail", involvedObject, source }]);
  });

  test("once: the same again is counted on it, something else is another", async () => {
    await using world = await startWorld();
    for (let i = 0; i < 4; i += 1) world.reporter.rolled(world.roll());
    world.reporter.rolled(world.roll("Deployment", "other"));
    await world.reporter.stop(60_000);
    const events = world.events();
    expect(events.map((event) => [text(event, "message").includes("'other'"), Object(event).count])).toEqual(
      expect.arrayContaining([
        [false, 4],
        [true, 1],
      ]),
    );
    expect(events).toHaveLength(2);
    expect(world.meter.count("notified event repeated")).toBe(3);
  });

  test("anew when the API server has let go of it", async () => {
    await using world = await startWorld();
    world.reporter.rolled(world.roll());
    await world.sent(1);
    for (const event of world.events())
      world.cluster.remove("Event", "shop", text(event, "metadata", "name"));
    world.reporter.rolled(world.roll());
    await world.reporter.stop(60_000);
    expect(world.events()).toMatchObject([{ count: 1 }]);
  });

  test("of an unreadable annotation once for its value, whoever finds it", async () => {
    await using world = await startWorld();
    const other = world.makeReporter();
    for (let i = 0; i < 3; i += 1) world.reporter.unreadable(world.unreadable("soon"));
    await world.reporter.stop(60_000);
    other.unreadable(world.unreadable("soon"));
    other.unreadable(world.unreadable("later"));
    await other.stop(60_000);
    const events = world.events();
    expect(events).toHaveLength(2);
    for (const event of events) expect(event).toMatchObject({ reason: "AnnotationUnreadable", count: 1 });
  });
});

type World = Awaited<ReturnType<typeof startWorld>>;

describe("what goes wrong", () => {
  test("a missing right is said once per cluster, costs one request, and is no error", async () => {
    await using world = await startWorld();
    world.cluster.setRules("worker", [{ apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] }]);
    for (let i = 0; i < 5; i += 1) world.reporter.rolled(world.roll("Deployment", `s${i}`));
    await world.reporter.stop(60_000);
    expect(world.log.messages("warn")).toEqual([expect.stringContaining("Events cannot be created")]);
    expect(world.log.text).toContain('cannot create resource \\"events\\"');
    expect(world.meter.count("notified event dropped")).toBe(5);
    expect(world.cluster.requestCount("create", "events").requests).toBeLessThanOrEqual(1);
  });

  test.each([
    ["of a state", (world: World) => world.reporter.unreadable(world.unreadable("soon"))],
    ["of a roll", (world: World) => world.reporter.rolled(world.roll())],
  ])("a lost answer makes no Event %s twice; a server that fails is asked again", async (_, report) => {
    await using world = await startWorld();
    world.cluster.failNext({ verb: "create", resource: "events", status: "reset", after: true });
    world.cluster.failNext({ verb: "create", resource: "events", status: 503 });
    report(world);
    await world.reporter.stop(60_000);
    expect(world.events()).toHaveLength(1);
  });

  test("a dead cluster delays no report and no stop, and its queue is bounded", async () => {
    await using world = await startWorld();
    await world.cluster.stop();
    const begun = performance.now();
    for (let i = 0; i < 9000; i += 1) world.reporter.rolled(world.roll("Deployment", `s${i}`));
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(world.meter.count("notified event dropped")).toBeGreaterThan(3900);
    expect(world.log.messages("warn")).toEqual(["Events are dropped: the cluster takes them too slowly"]);
    await world.reporter.stop(200);
    expect(performance.now() - begun).toBeLessThan(30_000);
    await world.cluster.start();
  });

  test.each([
    ["a workload that is gone", "Deployment", "shop", "api", []],
    ["a namespace that is gone", "Namespace", "", "shop", []],
    ["a namespace that is being removed", "Namespace", "", "shop", ["a/finalizer"]],
  ] as const)("what was to be said of %s is no loss", async (_, kind, namespace, name, finalizers) => {
    await using world = await startWorld();
    world.cluster.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", finalizers } });
    world.cluster.remove(kind, namespace, name);
    if (kind === "Namespace") world.reporter.rolled(world.roll());
    else world.reporter.failed({ ...world.reportHead("Deployment"), ...failure });
    await world.reporter.stop(60_000);
    expect(world.meter.sentences).toEqual(["notified event skipped"]);
    expect(world.log.lines).toEqual([]);
  });

  test("that Events fail is said with the workload when it begins, not each time", async () => {
    await using world = await startWorld();
    const failTwice = () =>
      world.cluster.failNext({ verb: "create", resource: "events", status: 422, count: 2 });
    failTwice();
    for (const name of ["a", "b", "c"]) world.reporter.rolled(world.roll("Deployment", name));
    await world.sent(1);
    failTwice();
    for (const name of ["d", "e"]) world.reporter.rolled(world.roll("Deployment", name));
    await world.reporter.stop(60_000);
    expect(world.meter.count("notified event failed")).toBe(4);
    expect(world.log.messages("warn")).toEqual(Array(2).fill("an Event could not be created"));
    expect(world.log.lines[0]?.fields).toMatchObject({ workload: { name: "api" }, reason: failure.code });
  });

  // Each Event is a write to the same API server that the rolls wait for.
  test("come after the rolls of a wave", async () => {
    await using world = await startWorld();
    const created = () => world.cluster.requestCount("create", "events").requests;
    let i = 0;
    await holds("none is made while rolls are reported", 600, () => {
      world.reporter.rolled(world.roll("Deployment", `s${i++}`));
      return created() === 0;
    });
    await until("all are made", () => created() === i);
  });

  test("a workload that is told about without end gets 25 Events, the rest is counted", async () => {
    await using world = await startWorld();
    for (let i = 0; i < 60; i += 1) world.reporter.rolled(world.roll("Deployment", `s${i}`));
    await world.reporter.stop(60_000);
    expect(world.events()).toHaveLength(25);
    expect(world.meter.count("notified event skipped")).toBe(35);
    expect(world.meter.count("notified event dropped")).toBe(0);
  });

  test("a cluster that is no longer engaged gets no Event, and is forgotten", async () => {
    await using world = await startWorld();
    world.reporter.rolled(world.roll());
    await world.sent(1);
    world.engage(false);
    world.reporter.rolled(world.roll());
    expect(world.meter.count("notified event skipped")).toBe(1);
    world.engage(true);
    world.reporter.rolled(world.roll());
    await world.reporter.stop(60_000);
    expect(world.events()).toHaveLength(2);
  });

  test("what still waits for a cluster when its connection is closed is given up at once", async () => {
    await using world = await startWorld();
    await world.closeConnection();
    for (let i = 0; i < 20; i += 1) world.reporter.rolled(world.roll("Deployment", `s${i}`));
    await world.reporter.stop(400);
    expect(world.meter.count("notified event skipped")).toBe(20);
  });

  test("an unknown cluster and an unknown kind are counted and not thrown", async () => {
    await using world = await startWorld();
    world.reporter.rolled({ ...world.roll(), cluster: "c2" });
    world.reporter.rolled({ ...world.roll(), workload: { kind: "Ghost", namespace: "shop", name: "api" } });
    await world.reporter.stop(60_000);
    expect(world.meter.count("notified event skipped")).toBe(2);
  });
});
