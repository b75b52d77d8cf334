import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import type { Json } from "../json.ts";
import { deployment, paths } from "../manifests.ts";

/** A fresh Deployment, patched; the pod spec that results. */
async function podSpecAfter(api: Api, podSpec: unknown): Promise<Json> {
  const namespace = await api.namespace();
  await api.post(paths.deployments(namespace), deployment("a"));
  const patch = { spec: { template: { spec: podSpec } } };
  const { status, json, text } = await api.patch(paths.deployment(namespace, "a"), "strategic", patch);
  expect(status, text).toBe(200);
  return json.at("spec", "template", "spec");
}

function names(spec: Json, ...path: readonly (string | number)[]): readonly string[] {
  return spec.items(...path).map((item) => item.text("name"));
}

export function checkStrategicMerge(api: Api): void {
  describe("strategic merge", () => {
    test("containers are merged by name", async () => {
      const spec = await podSpecAfter(api, {
        containers: [{ name: "side", image: "registry.example/side:2" }],
      });
      expect(names(spec, "containers")).toEqual(["main", "side"]);
      expect(spec.text("containers", 0, "image")).toBe("registry.example/main:1");
      expect(spec.text("containers", 1, "image")).toBe("registry.example/side:2");
    });

    test("a new container comes before the old ones", async () => {
      const spec = await podSpecAfter(api, { containers: [{ name: "new", image: "x:1" }] });
      expect(names(spec, "containers")).toEqual(["new", "main", "side"]);
    });

    test("environment variables are merged by name", async () => {
      const env = [
        { name: "TWO", value: "2" },
        { name: "ONE", value: "one" },
      ];
      const spec = await podSpecAfter(api, { containers: [{ name: "main", env }] });
      expect(spec.at("containers", 0, "env").value).toEqual([
        { name: "TWO", value: "2" },
        { name: "ONE", value: "one" },
      ]);
    });

    test("$patch: delete takes an item out", async () => {
      const spec = await podSpecAfter(api, {
        containers: [
          { name: "side", $patch: "delete" },
          { name: "main", env: [{ name: "ONE", $patch: "delete" }] },
        ],
      });
      expect(names(spec, "containers")).toEqual(["main"]);
      expect(spec.at("containers", 0, "env").value).toBeUndefined();
    });

    test("$patch: replace replaces a list", async () => {
      const spec = await podSpecAfter(api, {
        containers: [{ $patch: "replace" }, { name: "only", image: "x:1" }],
      });
      expect(names(spec, "containers")).toEqual(["only"]);
    });

    test("$setElementOrder orders what is there", async () => {
      const spec = await podSpecAfter(api, {
        "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
      });
      expect(names(spec, "containers")).toEqual(["side", "main"]);
    });

    test("init containers and volumes are merged by name", async () => {
      const spec = await podSpecAfter(api, {
        initContainers: [{ name: "init", image: "x:1" }],
        volumes: [{ name: "more", secret: { secretName: "s" } }],
      });
      expect(names(spec, "initContainers")).toEqual(["init"]);
      expect(names(spec, "volumes").toSorted()).toEqual(["config", "more"]);
    });

    test("$retainKeys drops the other source of a volume", async () => {
      const volume = { name: "config", $retainKeys: ["name", "emptyDir"], emptyDir: {} };
      const spec = await podSpecAfter(api, { volumes: [volume] });
      expect(spec.at("volumes").value).toEqual([{ name: "config", emptyDir: {} }]);
    });

    test("lists without a merge key are replaced", async () => {
      const first = { name: "main", args: ["a", "b"], envFrom: [{ configMapRef: { name: "one" } }] };
      const namespace = await api.namespace();
      await api.post(paths.deployments(namespace), deployment("a"));
      const path = paths.deployment(namespace, "a");
      await api.patch(path, "strategic", { spec: { template: { spec: { containers: [first] } } } });
      const second = { name: "main", args: ["c"], envFrom: [{ secretRef: { name: "two" } }] };
      const { json } = await api.patch(path, "strategic", {
        spec: { template: { spec: { containers: [second] } } },
      });
      const container = json.at("spec", "template", "spec", "containers", 0);
      expect(container.at("args").value).toEqual(["c"]);
      expect(container.at("envFrom").value).toEqual([{ secretRef: { name: "two" } }]);
    });

    test("null takes an annotation out, and an emptied map with it", async () => {
      const namespace = await api.namespace();
      await api.post(paths.deployments(namespace), deployment("a"));
      const path = paths.deployment(namespace, "a");
      const annotations = (value: string | null) => ({
        spec: { template: { metadata: { annotations: { a: value } } } },
      });
      await api.patch(path, "strategic", annotations("1"));
      const { json } = await api.patch(path, "strategic", annotations(null));
      expect(json.keys("spec", "template", "metadata")).toEqual(["labels"]);
    });

    test("finalizers are a set", async () => {
      const namespace = await api.namespace();
      await api.post(paths.deployments(namespace), deployment("a"));
      const path = paths.deployment(namespace, "a");
      const add = (...finalizers: string[]) => api.patch(path, "strategic", { metadata: { finalizers } });
      await add("example.com/one");
      const both = await add("example.com/two", "example.com/one");
      const names = both.json.items("metadata", "finalizers").map((finalizer) => finalizer.text());
      expect(names.toSorted()).toEqual(["example.com/one", "example.com/two"]);
      const less = await api.patch(path, "strategic", {
        metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/one"] },
      });
      expect(less.json.at("metadata", "finalizers").value).toEqual(["example.com/two"]);
    });

    test("an item without its merge key is refused", async () => {
      const namespace = await api.namespace();
      await api.post(paths.deployments(namespace), deployment("a"));
      const patch = { spec: { template: { spec: { containers: [{ image: "x" }] } } } };
      const { status } = await api.patch(paths.deployment(namespace, "a"), "strategic", patch);
      expect(status).toBe(500);
    });
  });
}
