import { ManualClock } from "@fleet-reloader/testkit/memory/manual-clock";
import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { impostor, registry, remembered, serverOf, supervise, usable } from "../fixture/claimed-clusters.ts";

test("nobody is chosen before Redis has said who the incumbents are", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using liar = await impostor(cluster);
  await cluster.stop();
  const hub = registry();
  const incumbents = remembered([[cluster.uid, "b"]]);
  incumbents.refusal = "NOPERM no permissions to access a key";
  await using world = supervise(hub.provider, incumbents);
  const said = hub.say(usable("a", liar.kubeconfig), usable("b", cluster.kubeconfig()));
  const untold = "clusters: their records in Redis are not read yet";
  const refused = `${untold} (${incumbents.refusal})`;
  await until("/ready tells why", () => world.fleet.notEngaged.includes(refused));
  expect(liar.identified).toBe(0);
  incumbents.refusal = undefined;
  await said;
  const alias = "registration a: it is the cluster b";
  await until("/ready tells of the other", () => world.fleet.notes.includes(alias));
  expect(world.fleet.notEngaged.filter((line) => line.startsWith(untold))).toEqual([]);
  expect(world.fleet.get(cluster.uid)).toBeUndefined();
  await cluster.start();
  await until("the incumbent is served", () => world.fleet.get(cluster.uid));
  expect(serverOf(world.fleet, cluster)).toBe(cluster.url);
  expect(liar.asked).toEqual([]);
  expect(world.log.messages("warn")).toContain(
    "the registrations that clusters belong to could not be read; trying again",
  );
});

test("what Redis has lost is written again, so that a later process finds it", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  await using liar = await impostor(cluster);
  const hub = registry();
  const incumbents = remembered([["gone", "c"]]);
  const clock = new ManualClock();
  await using first = supervise(hub.provider, incumbents, clock);
  const honest = usable("b", cluster.kubeconfig());
  await hub.say(honest);
  await until("it is engaged", () => first.fleet.get(cluster.uid));
  incumbents.kept.clear();
  await clock.advance(10_000);
  // Entries of a removed registration stay forgotten.
  expect([...incumbents.kept]).toEqual([[cluster.uid, "b"]]);
  await cluster.stop();
  const later = registry();
  await using second = supervise(later.provider, incumbents);
  await later.say(usable("a", liar.kubeconfig), honest);
  const alias = "registration a: it is the cluster b";
  await until("/ready tells of the other", () => second.fleet.notes.includes(alias));
  await cluster.start();
  await until("the incumbent is served", () => second.fleet.get(cluster.uid));
  expect(serverOf(second.fleet, cluster)).toBe(cluster.url);
  expect(liar.asked).toEqual([]);
});

test("an incumbent that another process has written meanwhile stays", async () => {
  await using cluster = await startSimCluster({ controllers: false });
  const hub = registry();
  const incumbents = remembered();
  const clock = new ManualClock();
  await using world = supervise(hub.provider, incumbents, clock);
  await hub.say(usable("b", cluster.kubeconfig()));
  await until("it is engaged", () => world.fleet.get(cluster.uid));
  incumbents.kept.set(cluster.uid, "a");
  await clock.advance(10_000);
  expect([...incumbents.kept]).toEqual([[cluster.uid, "a"]]);
  expect(world.fleet.get(cluster.uid)?.name).toBe("b");
});
