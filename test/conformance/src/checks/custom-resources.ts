import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import type { Json } from "../json.ts";
import { cronJob, job, podTemplate } from "../manifests.ts";

const rollouts = (namespace: string) => `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/rollouts`;
const batch = (namespace: string, plural: string) => `/apis/batch/v1/namespaces/${namespace}/${plural}`;

const rollout = (name: string) => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Rollout",
  metadata: { name },
  spec: { template: podTemplate(name) },
});

/** What kinds of workloads that are not built in, or that run to an end, rely on. */
export function checkCustomResources(api: Api): void {
  describe("custom resources", () => {
    test("are found by discovery: the group with its version, the kind with its resource", async () => {
      const groups = await api.get("/apis");
      expect(groups.json.text("kind")).toBe("APIGroupList");
      const served = groups.json.items("groups").flatMap((group) => group.items("versions"));
      expect(served.map((one) => one.text("groupVersion"))).toContain("serving.knative.dev/v1");
      const resources = await api.get("/apis/serving.knative.dev/v1");
      expect(resources.json.text("kind")).toBe("APIResourceList");
      const names = resources.json.items("resources").map((one) => [one.text("name"), one.text("kind")]);
      expect(names).toEqual(
        expect.arrayContaining([
          ["services", "Service"],
          ["services/status", "Service"],
        ]),
      );
    });

    test("discovery needs no right; an absent resource is forbidden or not found by rights", async () => {
      const token = api.target.limitedToken;
      expect((await api.send({ path: "/apis", token })).status).toBe(200);
      expect((await api.send({ path: "/apis/serving.knative.dev/v1", token })).status).toBe(200);
      const path = "/apis/nowhere.example.com/v1/things";
      const refused = await api.send({ path, token });
      expect(refused.status).toBe(403);
      expect(refused.json.text("message")).toBe(
        'things.nowhere.example.com is forbidden: User "limited" cannot list resource "things" in API group "nowhere.example.com" at the cluster scope',
      );
      // Not even JSON: neither below a group that is not there, nor beside a custom resource.
      for (const absent of [path, "/apis/serving.knative.dev/v1/things"]) {
        const answer = await api.get(absent);
        expect(answer.status).toBe(404);
        expect(answer.text).toBe("404 page not found\n");
      }
    });

    test("a merge patch holds only for the resourceVersion it names", async () => {
      const namespace = await api.namespace();
      const made = await api.post(rollouts(namespace), rollout("web"));
      const path = `${rollouts(namespace)}/web`;
      const patch = (resourceVersion: string, value: string) =>
        api.patch(path, "merge", { metadata: { resourceVersion, annotations: { note: value } } });
      const first = await patch(made.json.text("metadata", "resourceVersion"), "1");
      expect(first.status).toBe(200);
      const late = await patch(made.json.text("metadata", "resourceVersion"), "2");
      expect(late.status).toBe(409);
      expect(late.json.text("reason")).toBe("Conflict");
      expect((await api.get(path)).json.text("metadata", "annotations", "note")).toBe("1");
    });

    test("their generation counts changes of the spec, and none of annotations", async () => {
      const namespace = await api.namespace();
      await api.post(rollouts(namespace), rollout("web"));
      const path = `${rollouts(namespace)}/web`;
      const annotated = await api.patch(path, "merge", { metadata: { annotations: { note: "1" } } });
      expect(annotated.json.generation).toBe(1);
      const restarted = await api.patch(path, "merge", { spec: { restartAt: "2026-01-01T00:00:00Z" } });
      expect(restarted.json.generation).toBe(2);
    });

    test("generation without a status subresource counts all changes but metadata", async () => {
      const namespace = await api.namespace();
      const group = "secrets-store.csi.x-k8s.io/v1";
      const statuses = `/apis/${group}/namespaces/${namespace}/secretproviderclasspodstatuses`;
      const status = (version: string) => ({ objects: [{ id: "a", version }] });
      const made = await api.post(statuses, {
        ...{ apiVersion: group, kind: "SecretProviderClassPodStatus" },
        ...{ metadata: { name: "pod" }, status: status("1") },
      });
      expect(made.json.generation).toBe(1);
      const path = `${statuses}/pod`;
      const labelled = await api.patch(path, "merge", { metadata: { labels: { node: "n" } } });
      expect(labelled.json.generation).toBe(1);
      const rotated = await api.patch(path, "merge", { status: status("2") });
      expect(rotated.json.generation).toBe(2);
    });

    test("a merge patch replaces a list as a whole", async () => {
      const namespace = await api.namespace();
      await api.post(rollouts(namespace), rollout("web"));
      const containers = [{ name: "main", image: "registry.example/main:2" }];
      const { json } = await api.patch(`${rollouts(namespace)}/web`, "merge", {
        spec: { template: { spec: { containers } } },
      });
      expect(json.at("spec", "template", "spec", "containers").value).toEqual(containers);
      expect(json.items("spec", "template", "spec", "volumes")).toHaveLength(1);
    });
  });

  describe("workloads that run to an end", () => {
    test("a name that is taken is AlreadyExists, and nothing changes", async () => {
      const namespace = await api.namespace();
      const path = batch(namespace, "jobs");
      const made = await api.post(path, job("once"));
      const again = await api.post(path, {
        ...job("once"),
        metadata: { name: "once", labels: { second: "1" } },
      });
      expect(again.status).toBe(409);
      expect(again.json.text("reason")).toBe("AlreadyExists");
      const { json } = await api.get(`${path}/once`);
      expect(json.text("metadata", "uid")).toBe(made.json.text("metadata", "uid"));
      expect(json.at("metadata", "labels", "second").value).toBeUndefined();
    });

    test("a deletion holds only for the uid and the resourceVersion it names", async () => {
      const namespace = await api.namespace();
      const path = `${batch(namespace, "jobs")}/once`;
      const made = await api.post(batch(namespace, "jobs"), job("once"));
      const uid = made.json.text("metadata", "uid");
      const remove = (preconditions: object) =>
        api.delete(path, { propagationPolicy: "Background", preconditions });
      expect((await remove({ uid: "another" })).status).toBe(409);
      expect((await remove({ uid, resourceVersion: "1" })).status).toBe(409);
      expect((await api.get(path)).status).toBe(200);
      expect((await remove({ uid })).status).toBe(200);
      expect((await api.get(path)).status).toBe(404);
      expect((await api.post(batch(namespace, "jobs"), job("once"))).status).toBe(201);
    });

    test("a finalizer keeps a Job and its name until it is taken away", async () => {
      const namespace = await api.namespace();
      const path = `${batch(namespace, "jobs")}/held`;
      await api.post(batch(namespace, "jobs"), {
        ...job("held"),
        metadata: { name: "held", finalizers: ["example.com/held"] },
      });
      await api.delete(path, { propagationPolicy: "Background" });
      expect((await api.get(path)).json.text("metadata", "deletionTimestamp")).not.toBe("");
      expect((await api.post(batch(namespace, "jobs"), job("held"))).json.text("reason")).toBe(
        "AlreadyExists",
      );
      await api.patch(path, "merge", { metadata: { finalizers: null } });
      await api.until(path, ({ status }) => status === 404);
      expect((await api.post(batch(namespace, "jobs"), job("held"))).status).toBe(201);
    });

    test("a CronJob takes a conditional patch of annotations and keeps its generation", async () => {
      const namespace = await api.namespace();
      const made = await api.post(batch(namespace, "cronjobs"), cronJob("nightly"));
      const resourceVersion = made.json.text("metadata", "resourceVersion");
      const path = `${batch(namespace, "cronjobs")}/nightly`;
      const patch = () =>
        api.patch(path, "strategic", { metadata: { resourceVersion, annotations: { note: "1" } } });
      const first = await patch();
      expect(first.status).toBe(200);
      expect(first.json.generation).toBe(1);
      expect((await patch()).status).toBe(409);
    });

    test("a Job with nothing to complete is complete; one that is suspended is not", async () => {
      const namespace = await api.namespace();
      const path = batch(namespace, "jobs");
      const spec = { ...job("nothing").spec, suspend: false, completions: 0 };
      await api.post(path, { ...job("nothing"), spec });
      await api.post(path, job("waiting"));
      const conditions = (answer: { readonly json: Json }) =>
        answer.json.items("status", "conditions").map((one) => `${one.text("type")} ${one.text("status")}`);
      await api.until(`${path}/nothing`, (answer) => conditions(answer).includes("Complete True"));
      expect(conditions(await api.get(`${path}/waiting`))).not.toContain("Complete True");
    });

    test("a Job of a CronJob goes with it", async () => {
      const namespace = await api.namespace();
      const owner = await api.post(batch(namespace, "cronjobs"), cronJob("nightly"));
      const uid = owner.json.text("metadata", "uid");
      const ownerReferences = [
        { apiVersion: "batch/v1", kind: "CronJob", name: "nightly", uid, controller: true },
      ];
      const made = await api.post(batch(namespace, "jobs"), {
        ...job("nightly-1"),
        metadata: { name: "nightly-1", ownerReferences },
      });
      expect(made.status).toBe(201);
      await api.delete(`${batch(namespace, "cronjobs")}/nightly`, { propagationPolicy: "Background" });
      await api.until(`${batch(namespace, "jobs")}/nightly-1`, ({ status }) => status === 404);
    });
  });
}
