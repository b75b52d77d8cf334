import type { ApiClient } from "@fleet-reloader/testkit/api-client";
import { passed, patienceMs, until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { Deeds } from "../../deeds.ts";
import { at as field, laterThanTogether, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import {
  adopted,
  eachHasOne,
  makeDeployments,
  named,
  type Owned,
  settleCounts,
  workloadsMin,
} from "./estate.ts";
import { launcher } from "./launch.ts";

/** An undo changes the template, as a roll does. */
const undone = 1;
const undoneAndRolled = undone + 1;

/** How long a node needs for a pod, at the very least. */
const runMs = 2000;

/** Templates that return while their pods still run. Only a real controller keeps such pods; the kubelet is played here. */
export function undoneTests(world: () => World): void {
  const start = launcher(world);

  /** Deployments that are adopted, whose pods have been running for a while, and whose ConfigMap is changed now. */
  async function changed(purpose: string): Promise<Changed> {
    const at = await Site.make(world().client, purpose);
    await at.configMap("settings", { v: "A" });
    const deeds = await Deeds.from(world().client, at.namespace);
    const owned = await makeDeployments(at, named("api", workloadsMin));
    await makeReady(world().client, at);
    await laterThanTogether();
    const product = start(at);
    await product.ready();
    await adopted(at, owned);
    const before = await Promise.all(owned.map(([kind, name]) => at.object(kind, name)));
    await at.change("ConfigMap", "settings", { v: "B" });
    const undo = async () => {
      const edits = owned.map(([kind, name], i) =>
        replaceAs(world().client, at.path(kind, name), "kubectl-rollout", {
          path: "/spec/template",
          value: field(before[i], "spec", "template"),
        }),
      );
      await Promise.all(edits);
    };
    // The controller makes one revision of two changes that come while it is busy.
    const templates = async () =>
      Object.fromEntries(
        await Promise.all(
          owned.map(async ([kind, name]) => [name, await deeds.templates(kind, name)] as const),
        ),
      );
    return {
      ...{ at, owned, undo },
      settleAt: (changes) => settleCounts(templates, changes),
      [Symbol.asyncDispose]: () => product[Symbol.asyncDispose](),
    };
  }

  describe("kubectl rollout undo, while pods of before still run,", () => {
    test("of our own roll is followed by another roll", async () => {
      await using it = await changed("undo-roll");
      await it.settleAt(1);
      await it.undo();
      await it.settleAt(1 + undoneAndRolled);
    });

    test("of an image that hangs is followed by a roll for the ConfigMap that came with it", async () => {
      await using it = await changed("undo-image");
      const image = { path: "/spec/template/spec/containers/0/image", value: "app:hangs" };
      await Promise.all(
        it.owned.map(([kind, name]) => replaceAs(world().client, it.at.path(kind, name), "ci", image)),
      );
      // No kubelet tells what the pod with the image waits for: there is a roll, too.
      await it.settleAt(2);
      await it.undo();
      await it.settleAt(2 + undoneAndRolled);
    });
  });

  test("kubectl rollout undo whose pods are made anew rolls nothing", async () => {
    await using it = await changed("undo-late");
    await it.settleAt(1);
    await makeReady(world().client, it.at);
    await it.undo();
    await makeReady(world().client, it.at);
    await it.settleAt(1 + undone);
  });
}

interface Changed extends AsyncDisposable {
  readonly at: Site;
  readonly owned: readonly Owned[];
  /** What `kubectl rollout undo` sends: the template from before the change. */
  readonly undo: () => Promise<void>;
  /** The template of each changes exactly this often. */
  readonly settleAt: (changes: number) => Promise<void>;
}

/** Plays the kubelet: all pods run, and the rollouts come to their ends. */
async function makeReady(client: ApiClient, at: Site): Promise<void> {
  await passed(runMs);
  const isOver = async () => {
    const { body } = await client.send("GET", `/api/v1/namespaces/${at.namespace}/pods`);
    const pods = field(body, "items");
    const pending = (Array.isArray(pods) ? pods : []).filter(
      (pod) => field(pod, "status", "phase") === "Pending",
    );
    await Promise.all(pending.map((pod) => run(client, at, pod)));
    return eachHasOne(at, "replicas", "updatedReplicas", "availableReplicas");
  };
  await until("their pods are ready", isOver, patienceMs);
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

/** Puts a value into one field of an object, as this field manager. */
async function replaceAs(
  client: ApiClient,
  object: string,
  manager: string,
  edit: { readonly path: string; readonly value: unknown },
): Promise<void> {
  const patch = [{ op: "replace", path: edit.path, value: edit.value }];
  const path = `${object}?fieldManager=${manager}`;
  const { status } = await client.send("PATCH", path, patch, "application/json-patch+json");
  expect(status).toBe(200);
}
