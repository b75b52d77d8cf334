import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { renderKubeconfig } from "@fleet-reloader/testkit/sim-api/kubeconfig";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { impostor, registry, remembered, serverOf, supervise, usable } from "../fixture/claimed-clusters.ts";

const note = /^registration a: it is the cluster b$/;

test("a second claim of a cluster is not served; /ready, the log and an Event say so", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using liar = await impostor(cluster);
  const hub = registry();
  const incumbents = remembered();
  await using world = supervise(hub.provider, incumbents);
  const honest = Object.assign(usable("b", cluster.kubeconfig()), { name: "nova" });
  await hub.say(honest);
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  await hub.say(usable("a", liar.kubeconfig), honest);
  const told = "registration a: it is the cluster nova (registration b)";
  await until("/ready tells", () => world.fleet.notes.includes(told));
  expect(serverOf(world.fleet, cluster)).toBe(cluster.url);
  expect(world.begun()).toBe(1);
  expect(world.log.messages("warn")).toEqual([
    "two registrations lead to the same cluster; it is engaged once",
  ]);
  const client = new ApiClient({ url: cluster.url, token: cluster.token });
  const events = async () => JSON.stringify((await client.list("Event", "default")).body);
  await until("an Event tells", async () => (await events()).includes("ClusterClaimed"));
  expect(await events()).toMatch(/registration a claims to be this cluster .* b keeps it/);
  expect(liar.asked).toEqual([]);
  expect([...incumbents.kept]).toEqual([[cluster.uid, "b"]]);
});

test("also after a restart while the incumbent is away", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using liar = await impostor(cluster);
  await cluster.stop();
  const hub = registry();
  await using world = supervise(hub.provider, remembered([[cluster.uid, "b"]]));
  await hub.say(usable("a", liar.kubeconfig), usable("b", cluster.kubeconfig()));
  await until("/ready tells", () => world.fleet.notes.some((line) => note.test(line)));
  expect(world.fleet.get(cluster.uid)).toBeUndefined();
  await cluster.start();
  await until("the incumbent is back", () => world.fleet.get(cluster.uid));
  expect(serverOf(world.fleet, cluster)).toBe(cluster.url);
  expect(liar.asked).toEqual([]);
});

test.each([
  ["a 403", { status: 403, kind: "Status", message: "RBAC: clusterrole not found" }],
  ["a 404 of a proxy", { status: 404, kind: "error", message: "cluster not found" }],
  ["a 200 of a proxy", { status: 200, kind: "ok", message: "" }],
])("and while the incumbent's server answers %s for a moment", async (_what, upset) => {
  await using cluster = await startSimCluster({ controllers: false });
  await using liar = await impostor(cluster);
  await using honest = await impostor(cluster);
  honest.answers = upset;
  const hub = registry();
  const incumbents = remembered([[cluster.uid, "b"]]);
  await using world = supervise(hub.provider, incumbents);
  await hub.say(usable("a", liar.kubeconfig), usable("b", honest.kubeconfig));
  await until("both have answered", () => liar.identified > 0 && honest.identified > 0);
  await until("/ready tells", () => world.fleet.notes.some((line) => note.test(line)));
  expect(world.fleet.get(cluster.uid)).toBeUndefined();
  honest.answers = undefined;
  // A new version is identified at once.
  await hub.say(usable("a", liar.kubeconfig), usable("b", honest.kubeconfig, "2"));
  await until("the incumbent is back", () => world.fleet.get(cluster.uid));
  expect(serverOf(world.fleet, cluster)).toBe(honest.url);
  expect([...incumbents.kept]).toContainEqual([cluster.uid, "b"]);
  expect(liar.asked).toEqual([]);
});

test("a changed registration keeps its cluster while the server does not tell its UID", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using server = await impostor(cluster);
  const hub = registry();
  await using world = supervise(hub.provider, remembered());
  await hub.say(usable("b", server.kubeconfig));
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  server.answers = { status: 403 };
  await hub.say(usable("b", server.kubeconfig, "2"));
  const isRefused = (line: string) => /does not tell the UID .*; trying again$/.test(line);
  await until("the log tells", () => world.log.messages("error").some(isRefused));
  expect(world.fleet.get(cluster.uid)).toBeDefined();
  const before = server.identified;
  server.answers = undefined;
  await until("it is asked again", () => server.identified > before);
  expect(world.fleet.get(cluster.uid)).toBeDefined();
  expect(world.begun()).toBe(1);
});

test("until it is found to lead to another cluster: then the other is served", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using elsewhere = await startSimCluster({ controllers: false });
  await elsewhere.stop();
  const hub = registry();
  const incumbents = remembered([[cluster.uid, "b"]]);
  await using world = supervise(hub.provider, incumbents);
  await hub.say(usable("a", cluster.kubeconfig()), usable("b", elsewhere.kubeconfig()));
  await until("the other has answered", () => world.fleet.notes.some((line) => note.test(line)));
  expect(world.fleet.get(cluster.uid)).toBeUndefined();
  await elsewhere.start();
  await until("the incumbent has answered", () => world.fleet.get(elsewhere.uid));
  await until("the other is served", () => world.fleet.named("a")?.cluster === cluster.uid);
  await until("it is remembered", () => incumbents.kept.get(cluster.uid) === "a");
  expect(world.fleet.notes).toEqual([]);
});

test("also where another cluster answers at its address while it is served", async () => {
  const old = await startSimCluster({ controllers: false });
  await using elsewhere = await impostor(old);
  const hub = registry();
  await using world = supervise(hub.provider, remembered([[old.uid, "b"]]));
  await hub.say(usable("a", elsewhere.kubeconfig), usable("b", old.kubeconfig()));
  const { connection } = await until("the incumbent is served", () => world.fleet.named("b"));
  await until("the other has answered", () => world.fleet.notes.some((line) => note.test(line)));
  await old[Symbol.asyncDispose]();
  const ask = () => connection.call({ method: "GET", path: "/version" }, AbortSignal.timeout(1000));
  await expect(ask()).rejects.toThrow();
  const port = Number(new URL(old.url).port);
  await using rebuilt = await startSimCluster({ controllers: false, port });
  rebuilt.addUser("as before", undefined, old.token);
  await until("the new cluster is found", async () => {
    await ask().catch(() => undefined);
    return world.fleet.get(rebuilt.uid);
  });
  await until("the other is served", () => world.fleet.named("a")?.cluster === old.uid);
  expect(serverOf(world.fleet, old)).toBe(elsewhere.url);
});

test("until a person takes its registration away: then the other is served", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  const incumbents = remembered([[cluster.uid, "b"]]);
  await using world = supervise(hub.provider, incumbents);
  const [a, b] = [usable("a", cluster.kubeconfig()), usable("b", cluster.kubeconfig())];
  await hub.say(a, b);
  await until("both have answered", () => world.fleet.notes.some((line) => note.test(line)));
  await hub.say(a);
  await until("it is remembered", () => incumbents.kept.get(cluster.uid) === "a");
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  expect(world.fleet.notes).toEqual([]);
});

// A freeze and a grant use the present name of a cluster.
test("a cluster is called as the registration that serves it now", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  await using world = supervise(hub.provider, remembered([[cluster.uid, "b"]]));
  const [a, b] = [usable("a", cluster.kubeconfig()), usable("b", cluster.kubeconfig())];
  await hub.say(a, b);
  await until("the incumbent has answered", () => world.fleet.named("b")?.cluster === cluster.uid);
  await hub.say(a);
  await until("the other name is its name", () => world.fleet.named("a")?.cluster === cluster.uid);
  await hub.say({ ...a, name: "renamed" });
  await until("the new name is its name", () => world.fleet.named("renamed")?.cluster === cluster.uid);
  expect(world.fleet.named("a")).toBeUndefined();
});

test("a registration that is gone when this process begins keeps nothing", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  const incumbents = remembered([[cluster.uid, "gone"]]);
  await using world = supervise(hub.provider, incumbents);
  await hub.say(usable("a", cluster.kubeconfig()));
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  expect(incumbents.kept.get(cluster.uid)).toBe("a");
});

test("a cluster is registered while its registration is, and not before all are known", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  const incumbents = remembered([
    ["away", "b"],
    ["gone", "c"],
  ]);
  await using world = supervise(hub.provider, incumbents);
  expect(world.fleet.claimedClusters).toBeUndefined();
  const away = renderKubeconfig({
    ...{ clusterName: "x", userName: "x", token: "x" },
    url: "http://127.0.0.1:9",
  });
  const here = usable("a", cluster.kubeconfig());
  await hub.say(here, usable("b", away));
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  expect([...(world.fleet.claimedClusters ?? [])].toSorted()).toEqual([cluster.uid, "away"].toSorted());
  await hub.say(usable("b", away));
  await until("the other is gone", () => world.fleet.get(cluster.uid) === undefined);
  expect([...(world.fleet.claimedClusters ?? [])]).toEqual(["away"]);
});
