import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import { CollectedLog } from "@fleet-reloader/testkit/memory/collected-log";
import { CountingMeter } from "@fleet-reloader/testkit/memory/counting-meter";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { systemClock } from "../fixture/system-clock.ts";
import { targetOf } from "../fixture/targets-of.ts";
import type { ClusterProvider, Registration } from "../registration/registration.ts";
import { type Engaged, Fleet } from "./fleet.ts";
import type { Right } from "./rights.ts";

/** A provider whose registrations a test can change. */
function registry(named: Pick<ClusterProvider, "isNamed"> = {}) {
  let tell: (registrations: readonly Registration[]) => void = () => undefined;
  let all: readonly Registration[] = [];
  const provider: ClusterProvider = {
    async run(signal, onChange) {
      tell = onChange;
      onChange(all);
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
    },
    notReady: [],
    ...named,
  };
  return {
    provider,
    say(...registrations: readonly Registration[]) {
      all = registrations;
      tell(all);
    },
  };
}

function usable(id: string, kubeconfig: string, version = "1"): Registration {
  return { id, name: id, labels: {}, access: { type: "usable", target: targetOf(kubeconfig), version } };
}

function supervise(
  providers: readonly ClusterProvider[],
  rights: readonly Right[] | ((labels: Labels) => readonly Right[]) = [],
) {
  const stop = new AbortController();
  const log = new CollectedLog();
  const meter = new CountingMeter();
  const engaged: Engaged[] = [];
  const ended: string[] = [];
  const fleet = new Fleet({
    ...{ providers, log, meter },
    rights: (_, labels) => (typeof rights === "function" ? rights(labels) : rights),
    userAgent: "test",
    clock: systemClock,
    random: () => 0,
  });
  const running = fleet.run(stop.signal, async (one, signal) => {
    engaged.push(one);
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ended.push(one.cluster);
  });
  return {
    ...{ fleet, log, meter, engaged, ended },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

const never = new AbortController().signal;
const version = { method: "GET", path: "/version" } as const;

test("a cluster comes, is paused with a reason, comes back, and goes", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  await using world = supervise([hub.provider]);
  hub.say(usable("a", cluster.kubeconfig()));
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  hub.say({ id: "a", name: "a", labels: {}, access: { type: "paused", why: "by its owner" } });
  await until("its work ends", () => world.ended.length === 1);
  expect(world.fleet.get(cluster.uid)).toBeUndefined();
  hub.say(usable("a", cluster.kubeconfig()));
  await until("it is back", () => world.fleet.get(cluster.uid));
  hub.say();
  await until("it is gone", () => world.fleet.get(cluster.uid) === undefined);
  await until("the metric is gone", () => world.meter.count("cluster a Gone") > 0);
});

test("a registration that turns unusable goes on with what it was", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  await using world = supervise([hub.provider]);
  hub.say(usable("a", cluster.kubeconfig()));
  const engaged = await until("it is engaged", () => world.fleet.get(cluster.uid));
  hub.say({ id: "a", name: "a", labels: {}, access: { type: "unusable", why: "half a file" } });
  expect((await engaged.connection.call(version, never)).status).toBe(200);
  expect(world.fleet.get(cluster.uid)).toBe(engaged);
  expect(world.ended).toEqual([]);
  const why = ["half a file; the earlier version stays in use"];
  expect(world.fleet.listed).toMatchObject([{ status: { state: "Degraded", why } }]);
});

test("an unusable registration says why, until it can be used", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  await using world = supervise([hub.provider]);
  const why = "file a: it is no YAML";
  hub.say({ id: "a", name: "a", labels: {}, access: { type: "unusable", why } });
  await until("it says why", () => world.fleet.listed[0]?.status?.why[0] === why);
  hub.say(usable("a", cluster.kubeconfig()));
  await until("it is engaged", () => world.fleet.get(cluster.uid));
});

test("changed credentials are exchanged while the watch goes on and misses nothing", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const first = cluster.addUser("first");
  const second = cluster.addUser("second");
  const kubeconfig = cluster.kubeconfig("first");
  const hub = registry();
  await using world = supervise([hub.provider]);
  hub.say(usable("a", kubeconfig));
  const engaged = await until("it is engaged", () => world.fleet.get(cluster.uid));
  const path = `/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${cluster.resourceVersion}`;
  let seen = "";
  const watching = (async () => {
    for await (const chunk of engaged.connection.stream(
      { method: "GET", path },
      AbortSignal.timeout(120_000),
    ))
      seen += chunk.toString();
  })();
  await until("the watch is open", () => cluster.openWatches === 1);
  hub.say(usable("a", kubeconfig.replace(first, second), "2"));
  cluster.removeUser("first");
  await until("calls go with the new ones", async () => {
    const answer = await engaged.connection.call(version, never).catch(() => undefined);
    return answer?.status === 200;
  });
  cluster.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "later" }, data: {} });
  await until("the watch has seen what came later", () => seen.includes('"later"'));
  expect(world.engaged).toHaveLength(1);
  expect(world.ended).toEqual([]);
  cluster.endWatches();
  await watching;
});

test("a stream that waits while credentials are refused goes on with accepted ones", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const [first, second] = [cluster.addUser("first"), cluster.addUser("second")];
  const kubeconfig = cluster.kubeconfig("first");
  const hub = registry();
  await using world = supervise([hub.provider]);
  hub.say(usable("a", kubeconfig));
  const { connection } = await until("it is engaged", () => world.fleet.get(cluster.uid));
  cluster.removeUser("first");
  await expect(connection.call(version, never)).rejects.toMatchObject({ code: "kube.unauthorized" });
  await until("it is known", () => world.fleet.status(cluster.uid)?.state === "Forbidden");
  expect(world.fleet.reachOf(cluster.uid)).toBe("failing");
  let isWaiting = true;
  const waiting = connection.backOffs.wait(900_000, never).then(() => {
    isWaiting = false;
  });
  hub.say(usable("a", kubeconfig.replace(first, second), "2"));
  await until("the wait is over", () => !isWaiting);
  expect(world.fleet.reachOf(cluster.uid)).toBe("reachable");
  await waiting;
});

test("new credentials that do not work leave the old ones in use, and are told", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  await using world = supervise([hub.provider]);
  hub.say(usable("a", cluster.kubeconfig()));
  const engaged = await until("it is engaged", () => world.fleet.get(cluster.uid));
  hub.say(usable("a", cluster.kubeconfig().replace(cluster.token, "wrong"), "2"));
  const notes = await until("it is told", () =>
    world.fleet.notes.length > 0 ? world.fleet.notes : undefined,
  );
  expect(notes[0]).toMatch(/^registration a: .*401.*; the earlier version stays in use$/);
  expect(notes[0]).not.toContain("wrong");
  expect((await engaged.connection.call(version, never)).status).toBe(200);
  expect(world.fleet.notEngaged).toEqual([]);
  const why = [expect.stringMatching(/401.*; the earlier version stays in use$/)];
  expect(world.fleet.listed).toMatchObject([{ name: "a", status: { state: "Degraded", why } }]);
  expect(world.log.messages("warn")).toEqual(["cluster is degraded"]);
  const measured = ["Ready", "Degraded"].map((state) => () => world.meter.count(`cluster a ${state}`));
  expect(measured.map((count) => count())).toEqual([1, 1]);
  hub.say(usable("a", cluster.kubeconfig()));
  await until("it is well again", () => world.fleet.listed[0]?.status?.state === "Ready");
  expect(measured.map((count) => count())).toEqual([2, 1]);
});

test("a registration of the same name takes a cluster over without an interruption", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const files = registry();
  const secrets = registry();
  await using world = supervise([files.provider, secrets.provider]);
  secrets.say(usable("secret", cluster.kubeconfig()));
  const engaged = await until("it is engaged", () => world.fleet.get(cluster.uid));
  files.say({ ...usable("file", cluster.kubeconfig()), name: "secret" });
  await until("the other is an alias", () =>
    world.fleet.notes.includes("registration file: it is the cluster secret"),
  );
  secrets.say();
  await until("it has taken over", () => world.fleet.notes.length === 0);
  expect(world.fleet.get(cluster.uid)).toBe(engaged);
  expect((await engaged.connection.call(version, never)).status).toBe(200);
  expect(world.engaged).toHaveLength(1);
  expect(world.ended).toEqual([]);
});

test("at a rebuilt cluster the old work ends before any request, and new work begins", async () => {
  const old = await startSimCluster({ controllers: false });
  const { port } = new URL(old.url);
  const kubeconfig = old.kubeconfig();
  const hub = registry();
  await using world = supervise([hub.provider]);
  hub.say(usable("a", kubeconfig));
  const engaged = await until("it is engaged", () => world.fleet.get(old.uid));
  await old[Symbol.asyncDispose]();
  await until("it is missed", async () => {
    await engaged.connection.call(version, never).catch(() => undefined);
    return world.fleet.status(old.uid)?.state === "Degraded";
  });
  await using rebuilt = await startSimCluster({ controllers: false, port: Number(port) });
  rebuilt.addUser("as before", undefined, old.token);
  const asked = engaged.connection.call(version, never);
  await expect(asked).rejects.toMatchObject({ code: "kube.replaced" });
  await until("the new one is engaged", () => world.fleet.get(rebuilt.uid));
  expect(world.ended).toEqual([old.uid]);
  expect(world.fleet.get(old.uid)).toBeUndefined();
});

test("labels that change are those of the cluster at once; address and work stay", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  await using world = supervise([hub.provider]);
  const registration = usable("a", cluster.kubeconfig());
  hub.say(registration);
  const engaged = await until("it is engaged", () => world.fleet.get(cluster.uid));
  hub.say({ ...registration, labels: { env: "prod" } });
  await until("it has its label", () => engaged.labels.env === "prod");
  expect(world.engaged).toHaveLength(1);
  expect(world.ended).toEqual([]);
});

test("labels that ask for other rights begin the work anew", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  const rightsIn = ({ source }: Labels): readonly Right[] => [
    { verb: source === "audit" ? "list" : "watch", group: "", resource: "secrets", namespace: undefined },
  ];
  await using world = supervise([hub.provider], rightsIn);
  const registration = usable("a", cluster.kubeconfig());
  hub.say({ ...registration, labels: { source: "audit" } });
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  hub.say({ ...registration, labels: { source: "watch" } });
  await until("it is engaged anew", () => world.engaged.length === 2);
  expect(world.ended).toEqual([cluster.uid]);
  expect(world.engaged[1]?.labels.source).toBe("watch");
});

test("readiness waits for a named cluster, not for a registered one that is away", async () => {
  const named = registry({ isNamed: true });
  const registered = registry();
  await using world = supervise([named.provider, registered.provider]);
  const away = await startSimCluster({ controllers: false });
  const kubeconfig = away.kubeconfig();
  await away[Symbol.asyncDispose]();
  registered.say(usable("far", kubeconfig));
  await until("it is noted", () => world.fleet.notes.some((note) => note.startsWith("cluster far: ")));
  expect(world.fleet.notEngaged).toEqual([]);
  named.say(usable("own", kubeconfig));
  await until("it is missed", () => world.fleet.notEngaged.length > 0);
  expect(world.fleet.notEngaged).toEqual([expect.stringMatching(/^cluster own: /)]);
});

test("a missing right is reported by verb and resource until it is granted", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  cluster.addUser("reader", [{ apiGroups: ["*"], resources: ["*"], verbs: ["get"] }]);
  const hub = registry();
  const rights = ["get", "patch"].map((verb) => ({
    ...{ verb, group: "apps", resource: "deployments", namespace: undefined },
  }));
  await using world = supervise([hub.provider], rights);
  hub.say(usable("a", cluster.kubeconfig("reader")));
  const line = "no right to patch deployments.apps in all namespaces; grant it, see infra/manifests";
  await until("it is told", () => world.fleet.notes.includes(`cluster a: ${line}`));
  expect(world.fleet.notEngaged).toEqual([]);
  expect(world.log.lines.filter(({ level }) => level === "error")).toEqual([
    expect.objectContaining({ fields: { cluster: "a", registration: "a", state: "Forbidden", why: line } }),
  ]);
  expect(world.meter.count("cluster a Forbidden")).toBe(1);
});
