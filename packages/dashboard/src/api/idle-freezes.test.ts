import { expect, test } from "vitest";
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
