import { startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { registry, remembered, supervise, usable } from "../fixture/claimed-clusters.ts";

/** Two clusters whose Secrets in two namespaces have one name. */
async function startTwins() {
  const one = await startSimCluster({ controllers: false });
  const other = await startSimCluster({ controllers: false });
  other.addUser("reloader");
  const hub = registry();
  const world = supervise(hub.provider, remembered());
  const registrations = [
    { ...usable("team-a/prod", one.kubeconfig()), name: "prod" },
    { ...usable("team-b/prod", other.kubeconfig("reloader")), name: "prod" },
  ] as const;
  await hub.say(registrations[0]);
  await until("the first is engaged", () => world.fleet.get(one.uid));
  await hub.say(...registrations);
  await until("the other is engaged", () => world.fleet.get(other.uid));
  const measured = (state: string) => world.meter.count(`cluster prod ${state}`);
  return {
    ...{ one, other, hub, world, registrations, measured },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      for (const cluster of [one, other]) await cluster[Symbol.asyncDispose]();
    },
  };
}

test("a name that two clusters have leads to none of them; the log and /ready say so", async () => {
  await using twins = await startTwins();
  const { hub, one, other, registrations, world } = twins;
  expect(world.fleet.named("prod")).toBeUndefined();
  const [first, second] = [one.uid, other.uid];
  const note = `clusters ${first} and ${second} are all called prod, so audit events for this name are refused; give each a name of its own`;
  expect(world.fleet.notes).toEqual([note]);
  expect(world.fleet.notEngaged).toEqual([]);
  expect(world.log.messages("warn")).toEqual([note]);
  await hub.say(registrations[1]);
  await until("the other has the name alone", () => world.fleet.named("prod")?.cluster === second);
  expect(world.fleet.notes).toEqual([]);
});

test("the worse state of two clusters with one name is measured", async () => {
  await using twins = await startTwins();
  const { measured, other, world } = twins;
  expect(measured("Forbidden")).toBe(0);
  other.removeUser("reloader");
  const { connection } = await until("it is engaged", () => world.fleet.get(other.uid));
  await connection
    .call({ method: "GET", path: "/version" }, AbortSignal.timeout(60_000))
    .catch(() => undefined);
  await until("it is refused", () => world.fleet.status(other.uid)?.state === "Forbidden");
  expect(measured("Forbidden")).toBe(1);
});
