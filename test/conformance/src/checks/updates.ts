import { passed } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, deployment, paths, statefulSet } from "../manifests.ts";

export function checkUpdates(api: Api): void {
  describe("update", () => {
    test("a missing object is 404", async () => {
      const namespace = await api.namespace();
      const { json } = await api.get(paths.configMap(namespace, "x"));
      expect(json.value).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: 'configmaps "x" not found',
        reason: "NotFound",
        details: { name: "x", kind: "configmaps" },
        code: 404,
      });
      const app = await api.get(paths.deployment(namespace, "x"));
      expect(app.json.text("message")).toBe('deployments.apps "x" not found');
      expect(app.json.at("details").value).toEqual({ name: "x", group: "apps", kind: "deployments" });
      const put = await api.put(paths.configMap(namespace, "x"), configMap("x"));
      expect(put.status).toBe(404);
    });

    test("a stale version is 409 Conflict", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      const first = (await api.post(paths.configMaps(namespace), configMap("a"))).json;
      await api.put(path, configMap("a", { colour: "blue" }));
      const stale = { ...configMap("a"), metadata: { name: "a", resourceVersion: first.version } };
      const { json } = await api.put(path, stale);
      expect(json.value).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message:
          'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
        reason: "Conflict",
        details: { name: "a", kind: "configmaps" },
        code: 409,
      });
    });

    test("without a version the last one wins", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const { status, json } = await api.put(
        paths.configMap(namespace, "a"),
        configMap("a", { colour: "blue" }),
      );
      expect(status).toBe(200);
      expect(json.at("data").value).toEqual({ colour: "blue" });
    });

    test("another uid is a failed precondition: 409", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const uid = "11111111-2222-3333-4444-555555555555";
      const body = { ...configMap("a"), metadata: { name: "a", uid } };
      const { status, json } = await api.put(paths.configMap(namespace, "a"), body);
      expect(status).toBe(409);
      expect(json.text("reason")).toBe("Conflict");
      expect(json.text("message")).toContain("UID in precondition");
    });

    test("another name than the path's is 400", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const { status, json } = await api.put(paths.configMap(namespace, "a"), configMap("b"));
      expect(status).toBe(400);
      expect(json.text("message")).toBe("the name of the object (b) does not match the name on the URL (a)");
    });

    test("a write without a difference keeps the version, whoever writes", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "a");
      const body = { ...deployment("a"), spec: { ...deployment("a").spec, paused: true } };
      await api.post(paths.deployments(namespace), body);
      const settled = await api.until(path, ({ json }) => json.number("status", "observedGeneration") === 1);
      const again = await api.put(path, settled.json.value, { fieldManager: "somebody-else" });
      expect(again.status).toBe(200);
      expect(again.json.version).toBe(settled.json.version);
      expect(again.json.generation).toBe(1);
      expect(again.json.at("metadata", "managedFields").value).toEqual(
        settled.json.at("metadata", "managedFields").value,
      );
    });

    test("what a manager wrote before others and writes again keeps the version", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      await api.post(paths.configMaps(namespace), configMap("a", { one: "1" }), { fieldManager: "first" });
      // Times of managers are in whole seconds, and managers in the order of their times.
      await passed(1000);
      const latest = await api.patch(path, "merge", { data: { two: "2" } }, { fieldManager: "second" });
      await passed(1000);
      const again = await api.patch(path, "merge", { data: { one: "1" } }, { fieldManager: "first" });
      expect(again.json.value).toEqual(latest.json.value);
    });

    test("generation grows with spec and a Deployment's annotations, not labels, status", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "a");
      const body = { ...deployment("a"), spec: { ...deployment("a").spec, paused: true } };
      await api.post(paths.deployments(namespace), body);
      const generationAfter = async (patch: unknown, suffix = "") =>
        (await api.patch(path + suffix, "merge", patch)).json.generation;
      expect(await generationAfter({ metadata: { labels: { a: "1" } } })).toBe(1);
      expect(await generationAfter({ status: { collisionCount: 3 } }, "/status")).toBe(1);
      expect(await generationAfter({ spec: { replicas: 3 } })).toBe(2);
      expect(await generationAfter({ metadata: { annotations: { a: "1" } } })).toBe(3);
      expect(await generationAfter({ spec: { replicas: 3 } })).toBe(3);
    });

    test("a StatefulSet's own annotations leave its generation", async () => {
      const namespace = await api.namespace();
      await api.post(paths.apps(namespace, "statefulsets"), statefulSet("a"));
      const path = paths.app(namespace, "statefulsets", "a");
      const annotated = await api.patch(path, "merge", { metadata: { annotations: { a: "1" } } });
      expect(annotated.json.generation).toBe(1);
      expect((await api.patch(path, "merge", { spec: { replicas: 2 } })).json.generation).toBe(2);
    });

    test("the main path leaves the status, the status path leaves spec and labels", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "a");
      const body = { ...deployment("a"), spec: { ...deployment("a").spec, paused: true } };
      await api.post(paths.deployments(namespace), body);
      const main = await api.patch(path, "merge", { status: { collisionCount: 3 }, spec: { replicas: 4 } });
      expect(main.json.number("status", "collisionCount")).toBeUndefined();
      const status = await api.patch(`${path}/status`, "merge", {
        metadata: { labels: { l: "1" }, annotations: { n: "1" } },
        spec: { replicas: 9 },
        status: { collisionCount: 3 },
      });
      expect(status.json.number("status", "collisionCount")).toBe(3);
      expect(status.json.number("spec", "replicas")).toBe(4);
      expect(status.json.text("metadata", "labels", "l")).toBe("");
      expect(status.json.text("metadata", "annotations", "n")).toBe("1");
    });

    test("the scale path changes replicas", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "a");
      await api.post(paths.deployments(namespace), deployment("a"));
      const scale = await api.get(`${path}/scale`);
      expect(scale.json.text("kind")).toBe("Scale");
      expect(scale.json.number("spec", "replicas")).toBe(2);
      const patched = await api.patch(`${path}/scale`, "merge", { spec: { replicas: 5 } });
      expect(patched.status).toBe(200);
      expect((await api.get(path)).json.number("spec", "replicas")).toBe(5);
    });

    test("managedFields name manager, operation, time and fields", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      await api.post(paths.configMaps(namespace), configMap("a", { one: "1", two: "2" }), {
        fieldManager: "maker",
      });
      const patch = { metadata: { annotations: { note: "x" } }, data: { two: "3" } };
      const { json } = await api.patch(path, "merge", patch, { fieldManager: "patcher" });
      const entries = json.items("metadata", "managedFields");
      const summary = entries.map((entry) => ({
        manager: entry.text("manager"),
        operation: entry.text("operation"),
        fields: entry.at("fieldsV1").value,
      }));
      expect(summary).toEqual([
        { manager: "maker", operation: "Update", fields: { "f:data": { ".": {}, "f:one": {} } } },
        {
          manager: "patcher",
          operation: "Update",
          fields: { "f:data": { "f:two": {} }, "f:metadata": { "f:annotations": { ".": {}, "f:note": {} } } },
        },
      ]);
      expect(entries.map((entry) => entry.text("fieldsType"))).toEqual(["FieldsV1", "FieldsV1"]);
      expect(entries[0]?.text("time")).toMatch(/^\d{4}-.*Z$/);
      expect(entries[0]?.text("apiVersion")).toBe("v1");
    });

    test("a manager without a name is called after the user agent", async () => {
      const namespace = await api.namespace();
      const { json } = await api.post(paths.configMaps(namespace), configMap("a"));
      expect(json.text("metadata", "managedFields", 0, "manager")).toBe("conformance");
      const long = await api.post(paths.configMaps(namespace), configMap("b"), {
        fieldManager: "m".repeat(129),
      });
      expect(long.status).toBe(422);
    });
  });
}
