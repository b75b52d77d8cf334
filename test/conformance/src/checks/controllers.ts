import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { daemonSet, deployment, paths, restartPatch, statefulSet } from "../manifests.ts";

const REVISION = "deployment.kubernetes.io/revision";

export function checkControllers(api: Api): void {
  const replicaSets = async (namespace: string, count: number) => {
    const path = paths.apps(namespace, "replicasets");
    return (await api.until(path, ({ json }) => json.items("items").length === count)).json.items("items");
  };

  describe("controllers", () => {
    test("a Deployment gets a ReplicaSet for its template", async () => {
      const namespace = await api.namespace();
      const made = await api.post(paths.deployments(namespace), deployment("web"));
      const [replicaSet] = await replicaSets(namespace, 1);
      const hash = replicaSet?.text("metadata", "labels", "pod-template-hash") ?? "";
      expect(hash).toMatch(/^[a-z0-9]+$/);
      expect(replicaSet?.name).toBe(`web-${hash}`);
      expect(replicaSet?.at("metadata", "ownerReferences").value).toEqual([
        {
          apiVersion: "apps/v1",
          kind: "Deployment",
          name: "web",
          uid: made.json.text("metadata", "uid"),
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(replicaSet?.text("metadata", "annotations", REVISION)).toBe("1");
      expect(replicaSet?.text("metadata", "annotations", "example.com/team")).toBe("blue");
      expect(replicaSet?.text("spec", "template", "metadata", "labels", "pod-template-hash")).toBe(hash);
      const { json } = await api.until(
        paths.deployment(namespace, "web"),
        (answer) => answer.json.text("metadata", "annotations", REVISION) === "1",
      );
      expect(json.generation).toBe(1);
      const managers = json.items("metadata", "managedFields").map((entry) => entry.text("manager"));
      expect(managers).toContain("kube-controller-manager");
    });

    test("observes generations and keeps its status in the status subresource", async () => {
      const namespace = await api.namespace();
      await api.post(paths.deployments(namespace), deployment("web"));
      const path = paths.deployment(namespace, "web");
      await api.until(path, ({ json }) => json.number("status", "observedGeneration") === 1);
      await api.patch(path, "merge", { spec: { minReadySeconds: 1 } });
      const { json } = await api.until(
        path,
        (answer) => answer.json.number("status", "observedGeneration") === 2,
      );
      const types = json.items("status", "conditions").map((condition) => condition.text("type"));
      expect(types).toContain("Progressing");
      const entry = json
        .items("metadata", "managedFields")
        .find((each) => each.text("subresource") === "status");
      expect(entry?.text("manager")).toBe("kube-controller-manager");
    });

    test("a changed template is ReplicaSet 2 and revision 2; the old one again revision 3", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "web");
      const body = { ...deployment("web"), spec: { ...deployment("web").spec, replicas: 0 } };
      await api.post(paths.deployments(namespace), body);
      const revision = (wanted: string) =>
        api.until(path, ({ json }) => json.text("metadata", "annotations", REVISION) === wanted);
      await revision("1");
      await api.patch(path, "strategic", restartPatch("1"));
      await replicaSets(namespace, 2);
      await revision("2");
      await api.patch(path, "strategic", {
        spec: { template: { metadata: { annotations: { "example.com/mark": null } } } },
      });
      await revision("3");
      await replicaSets(namespace, 2);
    });

    test("what is no template change makes no ReplicaSet", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "web");
      await api.post(paths.deployments(namespace), deployment("web"));
      await replicaSets(namespace, 1);
      await api.patch(path, "merge", { metadata: { annotations: { a: "1" } }, spec: { replicas: 5 } });
      await api.until(path, ({ json }) => json.number("status", "observedGeneration") === 2);
      expect((await replicaSets(namespace, 1)).length).toBe(1);
    });

    test("a paused Deployment takes the change and rolls on resume", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "web");
      await api.post(paths.deployments(namespace), deployment("web"));
      await replicaSets(namespace, 1);
      await api.patch(path, "merge", { spec: { paused: true } });
      await api.patch(path, "strategic", restartPatch("1"));
      await api.until(path, ({ json }) => json.number("status", "observedGeneration") === 3);
      expect((await replicaSets(namespace, 1)).length).toBe(1);
      await api.patch(path, "merge", { spec: { paused: null } });
      await replicaSets(namespace, 2);
    });

    test("a Deployment takes in an orphan that fits, and makes no second ReplicaSet", async () => {
      const namespace = await api.namespace();
      await api.post(paths.deployments(namespace), deployment("web"));
      const [before] = await replicaSets(namespace, 1);
      await api.delete(paths.deployment(namespace, "web"), { propagationPolicy: "Orphan" });
      await api.until(paths.deployment(namespace, "web"), ({ status }) => status === 404);
      const again = await api.post(paths.deployments(namespace), deployment("web"));
      const { json } = await api.until(
        paths.app(namespace, "replicasets", before?.name ?? ""),
        (answer) => answer.json.items("metadata", "ownerReferences").length === 1,
      );
      expect(json.text("metadata", "ownerReferences", 0, "uid")).toBe(again.json.text("metadata", "uid"));
      await replicaSets(namespace, 1);
    });

    test("a StatefulSet gets a ControllerRevision per template", async () => {
      const namespace = await api.namespace();
      await api.post(paths.apps(namespace, "statefulsets"), statefulSet("db"));
      const path = paths.app(namespace, "statefulsets", "db");
      const first = await api.until(path, ({ json }) => json.text("status", "updateRevision") !== "");
      const revision = first.json.text("status", "updateRevision");
      expect(revision).toMatch(/^db-/);
      await api.patch(path, "strategic", restartPatch("1"));
      await api.until(path, ({ json }) => !["", revision].includes(json.text("status", "updateRevision")));
      const revisions = await api.get(paths.apps(namespace, "controllerrevisions"));
      expect(revisions.json.items("items").map((item) => item.number("revision"))).toEqual(
        expect.arrayContaining([1, 2]),
      );
      expect(revisions.json.text("items", 0, "metadata", "ownerReferences", 0, "kind")).toBe("StatefulSet");
    });

    test("a DaemonSet gets a ControllerRevision per template", async () => {
      const namespace = await api.namespace();
      await api.post(paths.apps(namespace, "daemonsets"), daemonSet("agent"));
      const path = paths.app(namespace, "daemonsets", "agent");
      await api.until(path, ({ json }) => json.number("status", "observedGeneration") === 1);
      await api.patch(path, "strategic", restartPatch("1"));
      const list = paths.apps(namespace, "controllerrevisions");
      const { json } = await api.until(list, (answer) => answer.json.items("items").length === 2);
      expect(json.text("items", 0, "metadata", "labels", "controller-revision-hash")).not.toBe("");
    });
  });
}
