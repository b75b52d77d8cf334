import { type ApiClient, apiPath } from "@fleet-reloader/testkit/api-client";
import { passed, patienceMs, until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { auto, at as field, laterThanTogether, reads, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { adopted, type Owned, settleAt } from "./estate.ts";
import { launcher } from "./launch.ts";

const api: Owned = ["Deployment", "api"];

/** The controller counts an undo as a revision, like a roll. */
const undone = 1;
const undoneAndRolled = undone + 1;

/** How long a node needs for a pod, at the very least. */
const runMs = 2000;

/** Templates that return while their pods still run. Only a real controller keeps such pods; the kubelet is played here. */
export function undoneTests(world: () => World): void {
  const start = launcher(world);

  /** A Deployment that is adopted, whose one pod has been running for a while, and whose ConfigMap is changed now. */
  async function changed(purpose: string): Promise<Changed> {
    const at = await Site.make(world().client, purpose);
    await at.configMap("settings", { v: "A" });
    await at.workload(...api, { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await makeReady(world().client, at);
    await laterThanTogether();
    const product = start(at);
    await product.ready();
    await adopted(at, [api]);
    const before = await at.object(...api);
    await at.change("ConfigMap", "settings", { v: "B" });
    const undo = async () => {
      const value = field(before, "spec", "template");
      await patchAs(world().client, at, "kubectl-rollout", [
        { op: "replace", path: "/spec/template", value },
      ]);
    };
    return { at, undo, [Symbol.asyncDispose]: () => product[Symbol.asyncDispose]() };
  }

  describe("kubectl rollout undo, while pods of before still run,", () => {
    test("of our own roll is followed by another roll", async () => {
      await using it = await changed("undo-roll");
      await settleAt(it.at, [api], 1);
      await it.undo();
      await settleAt(it.at, [api], 1 + undoneAndRolled);
    });

    test("of an image that hangs is followed by a roll for the ConfigMap that came with it", async () => {
      await using it = await changed("undo-image");
      const image = [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "app:hangs" }];
      await patchAs(world().client, it.at, "ci", image);
      // No kubelet tells what the pod with the image waits for: there is a roll, too.
      await settleAt(it.at, [api], 2);
      await it.undo();
      await settleAt(it.at, [api], 2 + undoneAndRolled);
    });
  });

  test("kubectl rollout undo whose pods are made anew rolls nothing", async () => {
    await using it = await changed("undo-late");
    await settleAt(it.at, [api], 1);
    await makeReady(world().client, it.at);
    await it.undo();
    await makeReady(world().client, it.at);
    await settleAt(it.at, [api], 1 + undone);
  });
}

interface Changed extends AsyncDisposable {
  readonly at: Site;
  /** What `kubectl rollout undo` sends: the template from before the change. */
  readonly undo: () => Promise<void>;
}

/** Plays the kubelet: all pods run, and the rollout comes to its end. */
async function makeReady(client: ApiClient, at: Site): Promise<void> {
  await passed(runMs);
  const isOver = async () => {
    const { body } = await client.send("GET", `/api/v1/namespaces/${at.namespace}/pods`);
    const pods = field(body, "items");
    for (const pod of Array.isArray(pods) ? pods : [])
      if (field(pod, "status", "phase") === "Pending") await run(client, at, pod);
    const { replicas, updatedReplicas, availableReplicas } = Object(field(await at.object(...api), "status"));
    return replicas === 1 && updatedReplicas === 1 && availableReplicas === 1;
  };
  await until("its pods are ready", isOver, patienceMs);
}

async function run(client: ApiClient, at: Site, pod: unknown): Promise<void> {
  const startedAt = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const ready = (type: string) => ({ type, status: "True", lastTransitionTime: startedAt });
  const image = { image: "app:1", imageID: "app" };
  const container = {
    name: "app",
    ready: true,
    restartCount: 0,
    ...image,
    state: { running: { startedAt } },
  };
  const status = {
    ...{ phase: "Running", containerStatuses: [container] },
    conditions: [ready("Ready"), ready("ContainersReady")],
  };
  const path = `/api/v1/namespaces/${at.namespace}/pods/${field(pod, "metadata", "name")}/status`;
  await client.send("PATCH", path, { status }, "application/merge-patch+json");
}

async function patchAs(
  client: ApiClient,
  at: Site,
  manager: string,
  patch: readonly object[],
): Promise<void> {
  const path = `${apiPath("Deployment", at.namespace, "api")}?fieldManager=${manager}`;
  const { status } = await client.send("PATCH", path, patch, "application/json-patch+json");
  expect(status).toBe(200);
}
