import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, deployment, paths, restartPatch } from "../manifests.ts";

export function checkPatches(api: Api): void {
  describe("patch", () => {
    test("merge: null takes a key out, the rest stays", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a", { one: "1", two: "2" }));
      const { json } = await api.patch(paths.configMap(namespace, "a"), "merge", {
        data: { one: null, three: "3" },
      });
      expect(json.at("data").value).toEqual({ two: "2", three: "3" });
    });

    test("json: add, replace, remove, move, copy, test", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a", { one: "1", two: "2" }));
      const { status, json } = await api.patch(paths.configMap(namespace, "a"), "json", [
        { op: "test", path: "/data/one", value: "1" },
        { op: "replace", path: "/data/one", value: "one" },
        { op: "add", path: "/data/with~1slash", value: "no" },
        { op: "remove", path: "/data/with~1slash" },
        { op: "copy", from: "/data/one", path: "/data/copy" },
        { op: "move", from: "/data/two", path: "/data/moved" },
      ]);
      expect(status).toBe(200);
      expect(json.at("data").value).toEqual({ one: "one", copy: "one", moved: "2" });
    });

    test("json: list items by index and at the end", async () => {
      const namespace = await api.namespace();
      await api.post(paths.deployments(namespace), deployment("a"));
      const containers = "/spec/template/spec/containers";
      const { status, json } = await api.patch(paths.deployment(namespace, "a"), "json", [
        { op: "add", path: `${containers}/-`, value: { name: "third", image: "x:1" } },
        { op: "remove", path: `${containers}/1` },
        { op: "add", path: `${containers}/0`, value: { name: "zeroth", image: "x:1" } },
        { op: "replace", path: `${containers}/1/image`, value: "registry.example/main:2" },
      ]);
      expect(status).toBe(200);
      const names = json
        .items("spec", "template", "spec", "containers")
        .map((container) => container.text("name"));
      expect(names).toEqual(["zeroth", "main", "third"]);
      expect(json.text("spec", "template", "spec", "containers", 1, "image")).toBe("registry.example/main:2");
    });

    test("json: a failed test is 422 and nobody can tell why", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const path = paths.configMap(namespace, "a");
      const failed = await api.patch(path, "json", [{ op: "test", path: "/data/colour", value: "green" }]);
      expect(failed.json.value).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "the server rejected our request due to an error in our request",
        reason: "Invalid",
        details: {},
        code: 422,
      });
      const version = [{ op: "test", path: "/metadata/resourceVersion", value: "1" }];
      expect((await api.patch(path, "json", version)).status).toBe(422);
      expect((await api.patch(path, "json", [{ op: "remove", path: "/data/none" }])).status).toBe(422);
      expect((await api.patch(path, "json", { op: "remove" })).status).toBe(400);
    });

    test("a stale version in the body is 409, the current one is fine", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "a");
      const body = { ...deployment("a"), spec: { ...deployment("a").spec, paused: true } };
      await api.post(paths.deployments(namespace), body);
      const { json } = await api.until(
        path,
        (answer) => answer.json.number("status", "observedGeneration") === 1,
      );
      const at = (resourceVersion: string, mark: string) => ({
        metadata: { resourceVersion },
        ...restartPatch(mark),
      });
      for (const form of ["strategic", "merge"] as const) {
        const stale = await api.patch(path, form, at("1", "x"));
        expect(stale.status).toBe(409);
        expect(stale.json.text("reason")).toBe("Conflict");
      }
      expect((await api.patch(path, "strategic", at(json.version, "y"))).status).toBe(200);
    });

    test("another uid in the body is 422", async () => {
      const namespace = await api.namespace();
      const { json } = await api.post(paths.deployments(namespace), deployment("a"));
      const path = paths.deployment(namespace, "a");
      const uid = "11111111-2222-3333-4444-555555555555";
      const other = await api.patch(path, "strategic", { metadata: { uid }, ...restartPatch("x") });
      expect(other.status).toBe(422);
      expect(other.json.text("reason")).toBe("Invalid");
      expect(other.json.text("message")).toContain("metadata.uid: Invalid value");
      const own = { metadata: { uid: json.text("metadata", "uid") }, ...restartPatch("x") };
      expect((await api.patch(path, "strategic", own)).status).toBe(200);
    });

    test("a missing object is 404 for merge, strategic and json", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "none");
      expect((await api.patch(path, "merge", restartPatch("x"))).status).toBe(404);
      expect((await api.patch(path, "strategic", restartPatch("x"))).status).toBe(404);
      expect(
        (await api.patch(path, "json", [{ op: "add", path: "/metadata/labels", value: {} }])).status,
      ).toBe(404);
    });

    test("a patch without a difference keeps version, generation and managed fields", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "a");
      const body = { ...deployment("a"), spec: { ...deployment("a").spec, paused: true } };
      await api.post(paths.deployments(namespace), body);
      await api.patch(path, "strategic", restartPatch("same"), { fieldManager: "first" });
      const settled = await api.until(path, ({ json }) => json.number("status", "observedGeneration") === 2);
      for (const form of ["merge", "strategic"] as const) {
        const again = await api.patch(path, form, restartPatch("same"), { fieldManager: "second" });
        expect(again.status).toBe(200);
        expect(again.json.version).toBe(settled.json.version);
        expect(again.json.generation).toBe(2);
        expect(again.text).not.toContain("second");
      }
    });

    test("a dry run shows the result and stores nothing", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      const made = await api.post(paths.configMaps(namespace), configMap("a"));
      const dry = await api.patch(path, "merge", { data: { colour: "blue" } }, { dryRun: "All" });
      expect(dry.json.text("data", "colour")).toBe("blue");
      expect(dry.json.version).toBe(made.json.version);
      expect((await api.get(path)).json.text("data", "colour")).toBe("red");
    });
  });
}
