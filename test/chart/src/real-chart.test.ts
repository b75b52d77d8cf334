import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startControlPlane } from "@fleet-reloader/control-plane/start";
import { afterAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { apply } from "./dry-run.ts";
import { chart, rendered } from "./helm.ts";
import { schemaLocation, writeSchemas } from "./json-schemas.ts";
import { at, type Manifest, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

/** Of custom resources whose definitions no test cluster has; everything else has to be known. */
const foreignKinds = [
  "PodMonitor",
  "PrometheusRule",
  "ScaledObject",
  "TriggerAuthentication",
  "ServiceMonitor",
  "VerticalPodAutoscaler",
];

const plane = await startControlPlane({ controllers: false });
const folder = mkdtempSync(join(tmpdir(), "chart-schemas-"));
await writeSchemas((await plane.request({ path: "/openapi/v2" })).body, folder);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await plane.stop();
});

const isKnown = (object: Manifest) => !foreignKinds.includes(object.kind);

async function conform(text: string): Promise<{ readonly code: number; readonly output: string }> {
  const args = [
    "-strict",
    "-summary",
    "-skip",
    foreignKinds.join(","),
    "-schema-location",
    schemaLocation(folder),
    "-",
  ];
  return await run(await ensureTool("kubeconform"), args, { input: text });
}

/** The pod of a StatefulSet, with something in place of the volumes its controller would add. */
function withClaimsEmpty(owner: Manifest): object {
  const spec = Object(at(owner, "spec", "template", "spec"));
  const claims = at(owner, "spec", "volumeClaimTemplates");
  const more = (Array.isArray(claims) ? claims : []).map((claim) => ({
    name: at(claim, "metadata", "name"),
    emptyDir: {},
  }));
  return more.length === 0 ? spec : { ...spec, volumes: [...(spec.volumes ?? []), ...more] };
}

async function makeNamespaces(objects: readonly Manifest[]): Promise<void> {
  for (const namespace of new Set(objects.map((object) => object.metadata.namespace ?? "default"))) {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await plane.request({
      method: "POST",
      path: "/api/v1/namespaces",
      body: { metadata: { name: namespace, labels } },
    });
  }
}

test("helm lint has nothing to mend", async () => {
  const { code, output } = await run(await ensureTool("helm"), ["lint", "--strict", chart]);
  expect(code, output).toBe(0);
});

describe.each(Object.keys(matrix))("%s", (name) => {
  const rendering = matrix[name] ?? {};

  test("every object conforms to its kind's schema, without a field it does not have", async () => {
    const objects = await rendered(rendering);
    const { code, output } = await conform(
      objects.map((object) => stringify(object, { version: "1.1" })).join("---\n"),
    );
    expect(output).toContain(`${objects.length} resource${objects.length === 1 ? "" : "s"} found`);
    expect(output).toContain(`Skipped: ${objects.filter((object) => !isKnown(object)).length}`);
    expect(code, output).toBe(0);
  });

  test("an API server takes every object, and the pods under the restricted standard", async () => {
    const objects = (await rendered(rendering)).filter(isKnown);
    await makeNamespaces(objects);
    for (const object of objects) expect(await apply(plane, object, { isDryRun: true })).toBeUndefined();
    const owners = objects.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
    expect(owners.length).toBeGreaterThan(0);
    for (const owner of owners) {
      const { namespace = "" } = owner.metadata;
      // The token controller is off here: what it would add is taken out.
      const pod = {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: "as-its-owner-makes-it",
          namespace,
          labels: at(owner, "spec", "template", "metadata", "labels"),
        },
        spec: withClaimsEmpty(owner),
      };
      const { status, body } = await plane.request({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/pods?dryRun=All&fieldValidation=Strict`,
        body: pod,
      });
      expect(status, JSON.stringify(body)).toBe(201);
    }
  });
});

test("kubeconform does refuse a field that does not exist", async () => {
  const deployment = the(await rendered({}), "Deployment");
  const { code, output } = await conform(
    stringify({ ...deployment, spec: { ...Object(deployment.spec), replica: 1 } }),
  );
  expect(code).toBe(1);
  expect(output).toContain("replica");
});

/** The Deployment of the peer's chart 2.2.16, as it stands in a cluster before the HelmRelease names our chart. */
const peerDeployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "reloader-reloader",
    namespace: "tools",
    labels: { app: "reloader-reloader", release: "reloader" },
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "reloader-reloader", release: "reloader" } },
    template: {
      metadata: { labels: { app: "reloader-reloader", release: "reloader", group: "com.stakater.platform" } },
      spec: {
        containers: [{ name: "reloader-reloader", image: "reloader:v1.4.21", args: ["--log-level=info"] }],
        serviceAccountName: "reloader-reloader",
      },
    },
  },
};

describe.each([["the defaults"], ["operations"], ["the defaults", "a kept data dir"]])(
  "from the peer to %s %s",
  (...steps) => {
    test("its release becomes ours in place: same names, same selector, one container", async () => {
      const path = "/apis/apps/v1/namespaces/tools/deployments/reloader-reloader";
      await makeNamespaces([peerDeployment]);
      await plane.request({ method: "DELETE", path });
      expect(await apply(plane, peerDeployment, { isDryRun: false })).toBeUndefined();
      for (const step of steps) {
        for (const object of (await rendered(matrix[step] ?? {})).filter(isKnown))
          expect(await apply(plane, object, { isDryRun: false })).toBeUndefined();
      }
      const { body } = await plane.request({ path });
      expect(at(body, "metadata", "generation")).toBe(1 + steps.length);
      expect(at(body, "spec", "template", "spec", "containers")).toHaveLength(1);
      expect(at(body, "spec", "template", "spec", "containers", 0, "image")).toMatch(
        /fleet-reloader:0\.1\.0$/,
      );
    });
  },
);
