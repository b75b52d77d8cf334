import type { ClusterOverview } from "@fleet-reloader/engine/overview/fleet-overview";
import { expect, test } from "vitest";
import { subjectsOf } from "../fixture/access-world.ts";
import { fleetOf, overviewOf } from "../fixture/served-fleet.ts";
import { createGrantedCaller } from "./granted-caller.ts";
import { scopeFleet } from "./scoped-fleet.ts";

const right = (namespace: string) =>
  `no right to patch deployments.apps ${namespace}; grant it, see infra/manifests`;
const [shopRight, payRight, allRight] = ["in namespace shop", "in namespace pay", "in all namespaces"].map(
  right,
);
const [shopStream, payStream, everyStream] = ["Secret in shop", "Secret in pay", "Secret"].map(
  (stream) => `${stream} is backoff (answered 503)`,
);
const missedHint = "no audit event told of 2 changes in configmaps: pay/keys, shop/app";

const missing = [shopRight, payRight, allRight].map(String);
const nova: ClusterOverview = {
  ...overviewOf("nova"),
  status: { state: "Degraded", why: ["GET /version at https://nova answered 503", missedHint] },
  report: {
    status: { state: "Forbidden", why: missing },
    streams: 3,
    behindCount: 3,
    behindSinceMs: 1,
    behind: [shopStream, payStream, everyStream].map(String),
    missingRights: missing,
    missingRightCount: 3,
  },
};

async function seenBy(namespaces: "*" | readonly string[]): Promise<ClusterOverview | undefined> {
  const [subject] = subjectsOf({ ann: [{ role: "viewer", clusters: ["nova"], namespaces }] });
  if (subject === undefined) throw new Error("nobody");
  const seen = await scopeFleet(fleetOf([nova]), createGrantedCaller(subject, [nova])).clusters();
  return seen?.[0];
}

test("what is wrong with a cluster names no namespace that the viewer does not see", async () => {
  const seen = await seenBy(["shop"]);
  expect(seen).toMatchObject({
    status: { state: "Degraded", why: ["GET /version at https://nova answered 503"] },
    report: {
      status: { state: "Forbidden", why: [shopRight, allRight] },
      missingRights: [shopRight, allRight],
      missingRightCount: 3,
      behind: [shopStream, everyStream],
      behindCount: 3,
    },
  });
  expect(JSON.stringify(seen)).not.toContain("pay");
});

test("who sees a whole cluster is told all that is wrong with it", async () => {
  expect(await seenBy("*")).toEqual(nova);
});
