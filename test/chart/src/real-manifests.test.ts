import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { rendered, root } from "./helm.ts";
import { at, parseManifests, the } from "./manifest.ts";
import { matrix } from "./matrix.ts";
import { renderedManifests } from "./rendered-manifests.ts";
import { ensureTool } from "./tools/go-tool.ts";
import { run } from "./tools/run.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

async function kustomized(folder: string) {
  const { code, output, errors } = await run(await ensureTool("kustomize"), ["build", join(root, folder)]);
  expect(code, errors).toBe(0);
  return parseManifests(output);
}

test("the committed manifests are what the chart renders", async () => {
  for (const [path, text] of await renderedManifests())
    expect(read(path), `${path}: remove it and run ./dev generate`).toBe(text);
});

describe("kustomize builds", () => {
  test("the base, with everything in its namespace", async () => {
    const objects = await kustomized("infra/kustomize/base");
    expect(objects.length).toBeGreaterThan(4);
    for (const object of objects.filter((each) => !each.kind.startsWith("Cluster")))
      expect(object.metadata.namespace).toBe("fleet-reloader");
  });

  test("the Flux set", async () => {
    expect((await kustomized("infra/flux/reloader")).map((object) => object.kind)).toEqual(["Kustomization"]);
    const app = await kustomized("infra/flux/reloader/app");
    expect(app.map((object) => object.kind).sort()).toEqual(["HelmRelease", "OCIRepository"]);
  });
});

describe("what is shipped for the users' own documents", () => {
  test("the HelmRelease has the values of theirs, and besides the image only", async () => {
    const [, release] = parseManifests(read("infra/flux/reloader/app/helmrelease.yaml"));
    const { image, ...others } = Object(at(release, "spec", "values"));
    expect(others).toEqual(matrix["the platform team's HelmRelease"]?.values);
    expect(Object.keys(image)).toEqual(["repository"]);
    expect((await rendered({ values: Object(at(release, "spec", "values")) })).length).toBeGreaterThan(4);
  });

  test("the addon's values render nothing cluster-wide, nothing its templates expand", async () => {
    const text = read("infra/addon/values.yaml");
    expect(text).not.toMatch(/\{\{|\{%|\{#/);
    const values = Object(at(parse(text), "reloader", "release", "values"));
    const objects = await rendered({ namespace: "openstack-system", values });
    expect(objects.filter((object) => /^Cluster/.test(object.kind))).toEqual([]);
    expect(at(the(objects, "Deployment"), "spec", "template", "spec", "tolerations")).toHaveLength(1);
  });
});
