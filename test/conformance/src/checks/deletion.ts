import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, deployment, paths } from "../manifests.ts";

export function checkDeletion(api: Api): void {
  describe("delete", () => {
    test("answers Success with name, kind and uid", async () => {
      const namespace = await api.namespace();
      const made = await api.post(paths.configMaps(namespace), configMap("a"));
      const { status, json } = await api.delete(paths.configMap(namespace, "a"));
      expect(status).toBe(200);
      expect(json.value).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Success",
        details: { name: "a", kind: "configmaps", uid: made.json.text("metadata", "uid") },
      });
      expect((await api.delete(paths.configMap(namespace, "a"))).status).toBe(404);
    });

    test("a precondition on uid or version that fails is 409", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const path = paths.configMap(namespace, "a");
      const uid = "11111111-2222-3333-4444-555555555555";
      expect((await api.delete(path, { preconditions: { uid } })).status).toBe(409);
      expect((await api.delete(path, { preconditions: { resourceVersion: "1" } })).status).toBe(409);
      expect((await api.get(path)).status).toBe(200);
    });

    test("a finalizer holds the object until it is taken out", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      await api.post(paths.configMaps(namespace), {
        ...configMap("a"),
        metadata: { name: "a", finalizers: ["example.com/hold"] },
      });
      const deleted = await api.delete(path);
      expect(deleted.status).toBe(200);
      expect(deleted.json.text("metadata", "deletionTimestamp")).not.toBe("");
      expect((await api.get(path)).status).toBe(200);
      const released = await api.patch(path, "merge", { metadata: { finalizers: null } });
      expect(released.status).toBe(200);
      expect((await api.get(path)).status).toBe(404);
    });

    test("a dry run deletes nothing", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      expect((await api.delete(paths.configMap(namespace, "a"), undefined, { dryRun: "All" })).status).toBe(
        200,
      );
      expect((await api.get(paths.configMap(namespace, "a"))).status).toBe(200);
    });

    test("a collection goes by selector", async () => {
      const namespace = await api.namespace();
      for (const name of ["a", "b", "c"]) {
        const labels = { group: name === "c" ? "stay" : "go" };
        await api.post(paths.configMaps(namespace), { ...configMap(name), metadata: { name, labels } });
      }
      const { status } = await api.delete(paths.configMaps(namespace), undefined, {
        labelSelector: "group=go",
      });
      expect(status).toBe(200);
      const left = (await api.get(paths.configMaps(namespace))).json.items("items").map((item) => item.name);
      expect(left).toEqual(["c"]);
    });

    test("an owner's end is its dependents' end, unless they are orphaned", async () => {
      const namespace = await api.namespace();
      const sets = paths.apps(namespace, "replicasets");
      const countOf = (app: string, wanted: number) =>
        api.until(sets, ({ json }) => json.items("items").length === wanted, { labelSelector: `app=${app}` });
      await api.post(paths.deployments(namespace), deployment("gone"));
      await countOf("gone", 1);
      await api.delete(paths.deployment(namespace, "gone"), { propagationPolicy: "Background" });
      await countOf("gone", 0);
      await api.post(paths.deployments(namespace), deployment("kept"));
      await countOf("kept", 1);
      await api.delete(paths.deployment(namespace, "kept"), { propagationPolicy: "Orphan" });
      await api.until(paths.deployment(namespace, "kept"), ({ status }) => status === 404);
      const { json } = await countOf("kept", 1);
      expect(json.at("items", 0, "metadata", "ownerReferences").value).toBeUndefined();
    });

    test("a namespace takes its content along and refuses new content meanwhile", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), {
        ...configMap("held"),
        metadata: { name: "held", finalizers: ["example.com/hold"] },
      });
      const deleted = await api.delete(`/api/v1/namespaces/${namespace}`);
      expect(deleted.status).toBe(200);
      expect(deleted.json.text("status", "phase")).toBe("Terminating");
      const refused = await api.post(paths.configMaps(namespace), configMap("late"));
      expect(refused.status).toBe(403);
      expect(refused.json.text("message")).toBe(
        `configmaps "late" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
      );
      await api.until(
        paths.configMap(namespace, "held"),
        ({ json }) => json.text("metadata", "deletionTimestamp") !== "",
      );
      await api.patch(paths.configMap(namespace, "held"), "merge", { metadata: { finalizers: null } });
      await api.until(`/api/v1/namespaces/${namespace}`, ({ status }) => status === 404);
      expect((await api.get(paths.configMaps(namespace))).json.items("items")).toEqual([]);
    });
  });
}
