import type { HeldRequest } from "@fleet-reloader/engine/admission/held-requests";
import type { ClusterOverview, FleetOverview } from "@fleet-reloader/engine/overview/fleet-overview";
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

function scopedTo(
  namespaces: "*" | readonly string[],
  overview: FleetOverview,
  clusters: "*" | readonly string[] = ["nova"],
): FleetOverview {
  const [subject] = subjectsOf({ ann: [{ role: "viewer", clusters, namespaces }] });
  if (subject === undefined) throw new Error("nobody");
  return scopeFleet(overview, createGrantedCaller(subject, [nova]));
}

async function seenBy(namespaces: "*" | readonly string[]): Promise<ClusterOverview | undefined> {
  const seen = await scopedTo(namespaces, fleetOf([nova])).clusters();
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

const heldFor = (reason: string, why: string): HeldRequest => ({
  id: reason,
  request: { cluster: "uid-nova", workload: { kind: "Deployment", namespace: "shop", name: "api" } },
  reason,
  why,
  againAtMs: 1,
});

test("only who sees everything is told what is wrong with the freezes", async () => {
  const looping = heldFor("WorkloadLooping", "the breaker of Deployment/shop/api is open");
  const why = "freezes.yaml: namespace billing: is no list";
  const unreadable = heldFor("FreezeUnreadable", why);
  const holds = [looping, unreadable];
  const fleet = Object.assign(fleetOf([nova]), {
    holds: async () => holds,
    unreadableFreezes: async () => why,
  });
  const instead = "a document of freezes cannot be read";
  for (const namespaces of ["*", ["shop"]] as const) {
    const seen = scopedTo(namespaces, fleet);
    expect(await seen.holds()).toEqual([looping, { ...unreadable, why: instead }]);
    expect(await seen.unreadableFreezes()).toBe(instead);
  }
  expect(await scopedTo(["shop"], fleetOf([nova])).unreadableFreezes()).toBeUndefined();
  const whole = scopedTo("*", fleet, "*");
  expect(await whole.holds()).toEqual(holds);
  expect(await whole.unreadableFreezes()).toBe(why);
});
