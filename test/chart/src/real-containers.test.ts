import { describe, expect, test } from "vitest";
import { refusal, rendered } from "./helm.ts";
import { at, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";

const standard = { requests: { cpu: "10m", memory: "128Mi" }, limits: { memory: "512Mi" } };

function containersOf(objects: Awaited<ReturnType<typeof rendered>>): readonly unknown[] {
  return objects.flatMap((object) => {
    const containers = at(object, "spec", "template", "spec", "containers");
    return Array.isArray(containers) ? containers : [];
  });
}

describe("resources", () => {
  test.each(Object.keys(matrix))("every container has some: %s", async (name) => {
    const containers = containersOf(await rendered(matrix[name] ?? {}));
    expect(containers).not.toEqual([]);
    for (const container of containers) expect(at(container, "resources")).toMatchObject({});
    for (const container of containers) expect(at(container, "resources", "limits", "memory")).toMatch(/Mi$/);
  });

  test("are the standard ones where nothing is said, and what is said where something is", async () => {
    const [container] = containersOf(await rendered({}));
    expect(at(container, "resources")).toEqual(standard);
    // A limit below what would be requested would make no pod.
    const resources = { limits: { memory: "100Mi" } };
    const [own] = containersOf(await rendered({ values: { reloader: { deployment: { resources } } } }));
    expect(at(own, "resources")).toEqual(resources);
  });
});

describe("a budget of disruptions", () => {
  const redis = { url: "redis://redis" };
  const budgets = async (values: object) => {
    const objects = await rendered({ values });
    return objects
      .filter(({ kind }) => kind === "PodDisruptionBudget")
      .map((object) => [object.metadata.name, at(object, "spec", "maxUnavailable")]);
  };
  const [watcher, worker] = ["reloader-reloader-watcher", "reloader-reloader-worker"];

  test("is there for a hub's watchers and workers, also where KEDA decides how many", async () => {
    const both = [
      [watcher, 1],
      [worker, 1],
    ];
    expect(await budgets({ fleetReloader: { mode: "hub", redis } })).toEqual(both);
    const keda = { enabled: true };
    expect(await budgets({ fleetReloader: { mode: "hub", redis, hub: { keda } } })).toEqual(both);
  });

  test("is not there for one replica, nor where it is not wanted", async () => {
    expect(await budgets({})).toEqual([]);
    const one = { watcher: { replicas: 1 } };
    expect(await budgets({ fleetReloader: { mode: "hub", redis, hub: one } })).toEqual([[worker, 1]]);
    const reloader = { podDisruptionBudget: { enabled: false } };
    expect(await budgets({ reloader, fleetReloader: { mode: "hub", redis } })).toEqual([]);
  });

  test("for two replicas does not keep the one that there is on its node", async () => {
    const podDisruptionBudget = { enabled: true, minAvailable: 1 };
    const reloader = { enableHA: true, deployment: { replicas: 2 }, podDisruptionBudget };
    expect(await budgets({ reloader })).toEqual([]);
    expect(await budgets({ reloader, fleetReloader: { redis } })).toEqual([["reloader-reloader", undefined]]);
  });
});

describe("images by digest", () => {
  const digest = `sha256:${"0a".repeat(32)}`;

  test("are taken for ours and for the Valkey", async () => {
    const hub = { valkey: { enabled: true, digest } };
    const objects = await rendered({ values: { image: { digest }, fleetReloader: { mode: "hub", hub } } });
    expect(at(containersOf([the(objects, "StatefulSet")])[0], "image")).toBe(`valkey/valkey:8.1@${digest}`);
    for (const name of ["reloader-reloader-watcher", "reloader-reloader-worker"])
      expect(at(containersOf([the(objects, "Deployment", name)])[0], "image")).toBe(
        `fleet-reloader@${digest}`,
      );
  });

  test("that are none are refused", async () => {
    expect(await refusal({ image: { digest: "latest" } })).toContain("/image/digest");
  });
});
