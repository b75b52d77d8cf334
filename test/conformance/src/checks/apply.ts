import { passed } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, deployment, paths } from "../manifests.ts";

export function checkApply(api: Api): void {
  describe("server-side apply", () => {
    test("creates what is missing and owns what it names", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      const made = await api.patch(path, "apply", configMap("a"), { fieldManager: "one" });
      expect(made.status).toBe(201);
      const [entry] = made.json.items("metadata", "managedFields");
      expect(entry?.text("operation")).toBe("Apply");
      expect(entry?.at("fieldsV1").value).toEqual({ "f:data": { "f:colour": {} } });
    });

    test("needs a field manager", async () => {
      const namespace = await api.namespace();
      const { status, json } = await api.patch(paths.configMap(namespace, "a"), "apply", configMap("a"));
      expect(status).toBe(422);
      expect(json.text("message")).toContain("fieldManager: Required value");
    });

    test("the same again keeps the version", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      const made = await api.patch(path, "apply", configMap("a"), { fieldManager: "one" });
      const again = await api.patch(path, "apply", configMap("a"), { fieldManager: "one" });
      expect(again.status).toBe(200);
      expect(again.json.version).toBe(made.json.version);
    });

    test("what one applied before others, applied once more after them, keeps the version", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      const apply = (fieldManager: string, data: Record<string, string>) =>
        api.patch(path, "apply", configMap("a", data), { fieldManager });
      await apply("one", { mine: "1" });
      await passed(1000);
      const latest = await apply("two", { theirs: "1" });
      await passed(1000);
      const again = await apply("one", { mine: "1" });
      expect(again.json.value).toEqual(latest.json.value);
    });

    test("another manager's value is a conflict that names it; force takes it", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      await api.post(paths.configMaps(namespace), configMap("a"), { fieldManager: "owner" });
      const wanted = configMap("a", { colour: "blue" });
      const refused = await api.patch(path, "apply", wanted, { fieldManager: "one" });
      expect(refused.status).toBe(409);
      expect(refused.json.text("reason")).toBe("Conflict");
      expect(refused.json.text("message")).toBe(
        'Apply failed with 1 conflict: conflict with "owner" using v1: .data.colour',
      );
      expect(refused.json.at("details", "causes").value).toEqual([
        { reason: "FieldManagerConflict", message: 'conflict with "owner" using v1', field: ".data.colour" },
      ]);
      const forced = await api.patch(path, "apply", wanted, { fieldManager: "one", force: "true" });
      expect(forced.status).toBe(200);
      expect(forced.json.text("data", "colour")).toBe("blue");
    });

    test("what is no longer named is taken out, what others own stays", async () => {
      const namespace = await api.namespace();
      const path = paths.configMap(namespace, "a");
      const apply = (data: Record<string, string>) =>
        api.patch(path, "apply", configMap("a", data), { fieldManager: "one" });
      await apply({ mine: "1", dropped: "1" });
      await api.patch(path, "merge", { data: { theirs: "1" } }, { fieldManager: "two" });
      const { json } = await apply({ mine: "1" });
      expect(json.at("data").value).toEqual({ mine: "1", theirs: "1" });
    });

    test("leaves another's template annotation alone", async () => {
      const namespace = await api.namespace();
      const path = paths.deployment(namespace, "a");
      await api.patch(path, "apply", deployment("a"), { fieldManager: "gitops" });
      const mark = { spec: { template: { metadata: { annotations: { "example.com/mark": "1" } } } } };
      await api.patch(path, "strategic", mark, { fieldManager: "reloader" });
      const again = await api.patch(path, "apply", deployment("a"), {
        fieldManager: "gitops",
        force: "true",
      });
      expect(again.json.text("spec", "template", "metadata", "annotations", "example.com/mark")).toBe("1");
    });

    test("a workload that lacks its required fields is 422", async () => {
      const namespace = await api.namespace();
      const body = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "a", annotations: { a: "1" } },
      };
      const { status } = await api.patch(paths.deployment(namespace, "a"), "apply", body, {
        fieldManager: "one",
      });
      expect(status).toBe(422);
    });

    test("force is for apply only", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("a"));
      const { status } = await api.patch(paths.configMap(namespace, "a"), "merge", {}, { force: "true" });
      expect(status).toBe(422);
    });
  });
}
