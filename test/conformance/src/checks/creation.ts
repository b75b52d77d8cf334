import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, deployment, paths, secret } from "../manifests.ts";

export function checkCreation(api: Api): void {
  describe("create", () => {
    test("answers 201 with uid, version, creation time and managed fields", async () => {
      const namespace = await api.namespace();
      const { status, json } = await api.post(paths.configMaps(namespace), configMap("a"));
      expect(status).toBe(201);
      expect(json.text("kind")).toBe("ConfigMap");
      expect(json.text("metadata", "namespace")).toBe(namespace);
      expect(json.text("metadata", "uid")).toMatch(/^[0-9a-f-]{36}$/);
      expect(json.version).toMatch(/^\d+$/);
      expect(json.text("metadata", "creationTimestamp")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(json.generation).toBeUndefined();
    });

    test("versions grow over all kinds together", async () => {
      const namespace = await api.namespace();
      const versions: number[] = [];
      for (const [path, body] of [
        [paths.configMaps(namespace), configMap("a")],
        [paths.secrets(namespace), secret("a")],
        [
          paths.deployments(namespace),
          { ...deployment("a"), spec: { ...deployment("a").spec, paused: true } },
        ],
        [paths.configMaps(namespace), configMap("b")],
      ] as const) {
        versions.push(Number((await api.post(path, body)).json.version));
      }
      expect(versions).toEqual(versions.toSorted((left, right) => left - right));
      expect(new Set(versions).size).toBe(versions.length);
    });

    test("a workload begins with generation 1 and an own status", async () => {
      const namespace = await api.namespace();
      const body = { ...deployment("a"), status: { replicas: 7 } };
      const { json } = await api.post(paths.deployments(namespace), body);
      expect(json.generation).toBe(1);
      expect(json.number("status", "replicas")).toBeUndefined();
      expect(json.number("spec", "progressDeadlineSeconds")).toBe(600);
      expect(json.text("spec", "template", "spec", "containers", 0, "imagePullPolicy")).toBe("IfNotPresent");
    });

    test("generateName is completed with five characters", async () => {
      const namespace = await api.namespace();
      const { status, json } = await api.post(paths.configMaps(namespace), {
        metadata: { generateName: "made-" },
      });
      expect(status).toBe(201);
      expect(json.name).toMatch(/^made-[a-z0-9]{5}$/);
      expect(json.text("metadata", "generateName")).toBe("made-");
    });

    test("neither name nor generateName is 422", async () => {
      const namespace = await api.namespace();
      const { status, json } = await api.post(paths.configMaps(namespace), { metadata: {} });
      expect(status).toBe(422);
      expect(json.text("message")).toContain("name or generateName is required");
    });

    test("a second time is 409 AlreadyExists", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const { json } = await api.post(paths.configMaps(namespace), configMap("a"));
      expect(json.value).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: 'configmaps "a" already exists',
        reason: "AlreadyExists",
        details: { name: "a", kind: "configmaps" },
        code: 409,
      });
    });

    test("a missing namespace is 404 about the namespace", async () => {
      const { status, json } = await api.post(paths.configMaps("nowhere"), configMap("a"));
      expect(status).toBe(404);
      expect(json.text("message")).toBe('namespaces "nowhere" not found');
      expect(json.at("details").value).toEqual({ name: "nowhere", kind: "namespaces" });
    });

    test("a version in a new object is refused", async () => {
      const namespace = await api.namespace();
      const body = { ...configMap("a"), metadata: { name: "a", resourceVersion: "5" } };
      const { status, json } = await api.post(paths.configMaps(namespace), body);
      expect(status).toBe(500);
      expect(json.text("message")).toContain("resourceVersion should not be set on objects to be created");
    });

    test("another namespace in the body than in the path is 400", async () => {
      const namespace = await api.namespace();
      const body = { ...configMap("a"), metadata: { name: "a", namespace: "default" } };
      const { status, json } = await api.post(paths.configMaps(namespace), body);
      expect(status).toBe(400);
      expect(json.text("message")).toBe(
        "the namespace of the provided object does not match the namespace sent on the request",
      );
    });

    test("another kind than the path's is 400", async () => {
      const namespace = await api.namespace();
      const { status } = await api.post(paths.configMaps(namespace), secret("a"));
      expect(status).toBe(400);
    });

    test("a Secret's stringData becomes data, its type Opaque", async () => {
      const namespace = await api.namespace();
      const body = { metadata: { name: "s" }, stringData: { plain: "text" } };
      const { json } = await api.post(paths.secrets(namespace), body);
      expect(json.at("data").value).toEqual({ plain: "dGV4dA==" });
      expect(json.at("stringData").value).toBeUndefined();
      expect(json.text("type")).toBe("Opaque");
    });

    test("empty and null maps are left out", async () => {
      const namespace = await api.namespace();
      const body = { metadata: { name: "a", labels: {}, annotations: null }, data: null };
      const { json } = await api.post(paths.configMaps(namespace), body);
      expect(json.keys().toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(json.keys("metadata")).not.toContain("labels");
      expect(json.keys("metadata")).not.toContain("annotations");
    });

    test("a dry run answers as if and stores nothing", async () => {
      const namespace = await api.namespace();
      const dry = await api.post(paths.configMaps(namespace), configMap("a"), { dryRun: "All" });
      expect(dry.status).toBe(201);
      expect(dry.json.text("metadata", "uid")).not.toBe("");
      expect(dry.json.version).toBe("");
      expect((await api.get(paths.configMap(namespace, "a"))).status).toBe(404);
      const odd = await api.post(paths.configMaps(namespace), configMap("a"), { dryRun: "Some" });
      expect(odd.status).toBe(422);
    });
  });
}
