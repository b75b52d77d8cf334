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
