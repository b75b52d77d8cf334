import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, deployment, job, paths, secret, statefulSet } from "../manifests.ts";

const MIB = 1024 * 1024;

export function checkValidation(api: Api): void {
  describe("validation", () => {
    test("names are DNS subdomains", async () => {
      const namespace = await api.namespace();
      for (const name of ["Upper", "under_score", "-dash", "dot.", "x".repeat(254)]) {
        const { status, json } = await api.post(paths.configMaps(namespace), configMap(name));
        expect(status, name).toBe(422);
        expect(json.text("reason")).toBe("Invalid");
        expect(json.text("details", "causes", 0, "field")).toBe("metadata.name");
        expect(json.text("details", "causes", 0, "reason")).toBe("FieldValueInvalid");
      }
      for (const name of ["123", "a.b-c", "x".repeat(253)]) {
        expect((await api.post(paths.configMaps(namespace), configMap(name))).status, name).toBe(201);
      }
    });

    test("a bad name is told in the server's words", async () => {
      const namespace = await api.namespace();
      const { json } = await api.post(paths.configMaps(namespace), configMap("Upper"));
      expect(json.text("message")).toBe(
        `ConfigMap "Upper" is invalid: metadata.name: Invalid value: "Upper": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      );
      expect(json.text("details", "kind")).toBe("ConfigMap");
    });

    test("keys of a ConfigMap are restricted", async () => {
      const namespace = await api.namespace();
      expect((await api.post(paths.configMaps(namespace), configMap("a", { "a/b": "" }))).status).toBe(422);
      expect((await api.post(paths.configMaps(namespace), configMap("b", { "_a.B-9": "" }))).status).toBe(
        201,
      );
    });

    test("a ConfigMap and a Secret hold 1 MiB", async () => {
      const namespace = await api.namespace();
      const size = (bytes: number) => ({ a: "x".repeat(bytes) });
      const full = await api.post(paths.configMaps(namespace), configMap("full", size(MIB)));
      expect(full.status).toBe(201);
      const over = await api.post(paths.configMaps(namespace), configMap("over", size(MIB + 1)));
      expect(over.status).toBe(422);
      expect(over.json.text("message")).toBe(
        'ConfigMap "over" is invalid: []: Too long: may not be more than 1048576 bytes',
      );
      const data = { a: Buffer.alloc(MIB + 1).toString("base64") };
      const secretOver = await api.post(paths.secrets(namespace), { ...secret("over"), data });
      expect(secretOver.status).toBe(422);
      expect(secretOver.json.text("message")).toBe(
        'Secret "over" is invalid: data: Too long: may not be more than 1048576 bytes',
      );
    });

    test("annotations hold 256 KiB together", async () => {
      const namespace = await api.namespace();
      const annotated = (name: string, bytes: number) => ({
        ...configMap(name),
        metadata: { name, annotations: { a: "x".repeat(bytes - 1) } },
      });
      expect((await api.post(paths.configMaps(namespace), annotated("full", 262_144))).status).toBe(201);
      const over = await api.post(paths.configMaps(namespace), annotated("over", 262_145));
      expect(over.status).toBe(422);
      expect(over.json.text("message")).toBe(
        'ConfigMap "over" is invalid: metadata.annotations: Too long: may not be more than 262144 bytes',
      );
    });

    test("a body above 3 MiB is 413", async () => {
      const namespace = await api.namespace();
      const { status, json } = await api.post(
        paths.configMaps(namespace),
        configMap("a", { a: "x".repeat(3 * MIB) }),
      );
      expect(status).toBe(413);
      expect(json.text("reason")).toBe("RequestEntityTooLarge");
    });

    test("values of the wrong type are 400", async () => {
      const namespace = await api.namespace();
      const number = { metadata: { name: "a" }, data: { a: 1 } };
      expect((await api.post(paths.configMaps(namespace), number)).status).toBe(400);
      const label = { metadata: { name: "a", labels: { a: true } } };
      expect((await api.post(paths.configMaps(namespace), label)).status).toBe(400);
      const base64 = { ...secret("a"), data: { a: "not base64!" } };
      expect((await api.post(paths.secrets(namespace), base64)).status).toBe(400);
    });

    test("label values are restricted", async () => {
      const namespace = await api.namespace();
      const labelled = { ...configMap("a"), metadata: { name: "a", labels: { a: "no spaces" } } };
      expect((await api.post(paths.configMaps(namespace), labelled)).status).toBe(422);
    });

    test("immutable data and the Secret's type stay", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), { ...configMap("a"), immutable: true });
      const changed = await api.patch(paths.configMap(namespace, "a"), "merge", { data: { colour: "blue" } });
      expect(changed.status).toBe(422);
      expect(changed.json.text("message")).toBe(
        'ConfigMap "a" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      );
      expect((await api.patch(paths.configMap(namespace, "a"), "merge", { immutable: null })).status).toBe(
        422,
      );
      const labels = { metadata: { labels: { a: "1" } } };
      expect((await api.patch(paths.configMap(namespace, "a"), "merge", labels)).status).toBe(200);
      await api.post(paths.secrets(namespace), secret("a"));
      const typed = await api.patch(paths.secret(namespace, "a"), "merge", { type: "example.com/other" });
      expect(typed.status).toBe(422);
      expect(typed.json.text("message")).toBe(
        'Secret "a" is invalid: type: Invalid value: "example.com/other": field is immutable',
      );
    });

    test("a workload's selector has to match its template, and is fixed", async () => {
      const namespace = await api.namespace();
      const body = deployment("a");
      const other = { ...body, spec: { ...body.spec, selector: { matchLabels: { app: "other" } } } };
      const refused = await api.post(paths.deployments(namespace), other);
      expect(refused.status).toBe(422);
      expect(refused.json.text("details", "causes", 0, "field")).toBe("spec.template.metadata.labels");
      await api.post(paths.deployments(namespace), body);
      const moved = await api.patch(paths.deployment(namespace, "a"), "merge", {
        spec: {
          selector: { matchLabels: { app: "other" } },
          template: { metadata: { labels: { app: "other" } } },
        },
      });
      expect(moved.status).toBe(422);
      expect(moved.json.text("message")).toContain("field is immutable");
    });

    test("a StatefulSet's spec is fixed but for a few fields", async () => {
      const namespace = await api.namespace();
      await api.post(paths.apps(namespace, "statefulsets"), statefulSet("a"));
      const path = paths.app(namespace, "statefulsets", "a");
      const refused = await api.patch(path, "merge", { spec: { serviceName: "other" } });
      expect(refused.status).toBe(422);
      expect(refused.json.text("details", "causes", 0, "field")).toBe("spec");
      expect((await api.patch(path, "merge", { spec: { minReadySeconds: 1 } })).status).toBe(200);
    });

    test("a Job's template is fixed and carries a made-up identity", async () => {
      const namespace = await api.namespace();
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
      const made = await api.post(path, job("a"));
      expect(made.status, made.text).toBe(201);
      const labels = made.json.keys("spec", "template", "metadata", "labels");
      expect(labels).toContain("batch.kubernetes.io/controller-uid");
      expect(labels).toContain("batch.kubernetes.io/job-name");
      const image = { spec: { template: { spec: { containers: [{ name: "main", image: "x:9" }] } } } };
      const refused = await api.patch(`${path}/a`, "strategic", image);
      expect(refused.status).toBe(422);
      expect(refused.json.text("message")).toContain("field is immutable");
      expect((await api.patch(`${path}/a`, "merge", { spec: { suspend: true } })).status).toBe(200);
    });

    test("a workload needs containers with name and image", async () => {
      const namespace = await api.namespace();
      const body = deployment("a");
      const template = { ...body.spec.template, spec: { containers: [{ name: "x" }] } };
      const { status, json } = await api.post(paths.deployments(namespace), {
        ...body,
        spec: { ...body.spec, template },
      });
      expect(status).toBe(422);
      expect(json.text("details", "causes", 0, "field")).toBe("spec.template.spec.containers[0].image");
    });
  });
}
