import { expect, test } from "vitest";
import { rendered } from "./helm.ts";
import { at, the } from "./manifest.ts";

const redis = { url: "redis://redis" };
const kept = { enabled: true };
const oneByOne = { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } };

/** The volume of a claim is attached to one node: a pod on another node would wait for the one that waits for it. */
test.each([
  ["an embedded Redis", {}, 1, oneByOne],
  ["an embedded Redis in a claim", { persistence: kept }, 1, { type: "Recreate" }],
  ["a shared Redis and a claim", { redis, persistence: kept }, 1, oneByOne],
  ["a shared Redis and a claim of the user", { redis, persistence: { existingClaim: "ours" } }, 1, oneByOne],
  ["a shared Redis", { redis }, 1, undefined],
  ["several pods, which have no claim", { redis, persistence: kept }, 2, undefined],
])("with %s no update waits for itself", async (_, fleetReloader, replicas, strategy) => {
  const deployment = the(
    await rendered({ values: { fleetReloader, reloader: { deployment: { replicas } } } }),
    "Deployment",
  );
  expect(at(deployment, "spec", "strategy")).toEqual(strategy);
});
