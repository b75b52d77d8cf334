import { expect, test } from "vitest";
import { createAccessWorld, subjectsOf, tokenOf } from "../fixture/access-world.ts";
import { fleetOf, overviewOf, startServedFleet } from "../fixture/served-fleet.ts";

test("of a freeze of no cluster it is told that it covers nothing", async () => {
  const idle = { scope: { cluster: "Nova" }, reason: "disk full", by: "ann" };
  const of = async () => [idle, { ...idle, scope: { cluster: "nova" } }];
  await using served = await startServedFleet({
    overview: { ...fleetOf([overviewOf("nova")]), freezes: of },
  });
  for (const path of ["/api/v1/status", "/api/v1/held"]) {
    const { freezes } = JSON.parse((await served.ask(path)).body);
    expect(freezes.map((one: { missing?: string }) => one.missing)).toEqual([
      "no cluster is called Nova; did you mean nova?",
      undefined,
    ]);
  }
});

test("only who sees everything is told that nothing in a namespace is reloaded", async () => {
  const freezes = async () => [{ scope: { namespace: "shopp" }, reason: "release", by: "ann" }];
  const ref = { kind: "Deployment", namespace: "shop", name: "api" };
  const managed = async () => [{ ref, sources: [], patterns: [] }];
  const overview = { ...fleetOf([overviewOf("nova")]), freezes, managed };
  const grant = { role: "viewer", clusters: "*" } as const;
  const subjects = subjectsOf(
    {},
    {
      ann: [{ ...grant, namespaces: "*" }],
      bob: [{ ...grant, clusters: ["nova"], namespaces: ["shopp", "shop"] }],
    },
  );
  const { access } = createAccessWorld(subjects, overview);
  await using served = await startServedFleet({ access, overview });
  const missing = "no workload of namespace shopp is reloaded; did you mean shop?";
  for (const path of ["/api/v1/status", "/api/v1/held"])
    for (const [name, told] of [["ann", missing] as const, ["bob", undefined] as const]) {
      const { body } = await served.ask(path, { authorization: `Bearer ${tokenOf(name)}` });
      expect(JSON.parse(body)).toMatchObject({ freezeCount: 1 });
      expect(JSON.parse(body).freezes[0].missing).toBe(told);
    }
});
