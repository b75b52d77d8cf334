import { afterAll, beforeAll, describe, test } from "vitest";
import { type OperatedFleet, startOperatedFleet } from "./pages/operated-fleet.ts";

let fleet: OperatedFleet;
beforeAll(async () => {
  fleet = await startOperatedFleet();
  await fleet.makeShop();
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

/** The pages that change workloads, and how often each workload has rolled at the end. */
const rolls = [
  ["late-source.md", "Deployment/sovereign/catalyst-api", 1],
  ["value-from.md", "Deployment/signup/signup", 1],
  ["wrong-name.md", "Deployment/handover/catalyst-api", 0],
  ["one-restart.md", "Deployment/catalyst/importer", 1],
  ["rotated-secret.md", "Deployment/billing/billing", 1],
  ["renewed-certificate.md", "DaemonSet/gateway/gateway", 1],
  ["check-an-installation.md", "Deployment/reloader-test/test-reloader", 1],
  ["one-namespace.md", "DaemonSet/openstack-system/openstack-cloud-controller-manager", 1],
] as const;

describe("pages of docs/operate", () => {
  test.concurrent.each(rolls)("the commands of how-to/%s answer as it shows", async (...row) => {
    const [page, workload, count] = row;
    const [kind = "", namespace = "", name = ""] = workload.split("/");
    await fleet.follow(`how-to/${page}`);
    await fleet.rolled({ kind, namespace, name }, count);
  });

  // From then on the fleet has two clusters, which the other pages would show.
  test("the commands of how-to/new-cluster.md answer as it shows", () =>
    fleet.follow("how-to/new-cluster.md"));

  // It stops the whole fleet, so nothing runs beside it.
  test("the commands of on-call.md answer as it shows, and one roll comes of them", async () => {
    await fleet.follow("on-call.md");
    await fleet.rolled({ kind: "Deployment", namespace: "shop", name: "api" }, 1);
  });
});
