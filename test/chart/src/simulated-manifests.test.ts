import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./helm.ts";
import { parseManifests } from "./manifest.ts";
import { isRendered, manifestPaths } from "./rendered-manifests.ts";

const files = readdirSync(join(root, "infra"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Whether they are what the chart renders is told with Helm, in `./dev test --real`; that somebody forgot to render, here. */
test.each(manifestPaths)("%s was rendered from the chart as it is", (path) => {
  const text = read(path);
  expect(isRendered(path), `${path}: run ./dev generate`).toBe(true);
  const kinds = parseManifests(text).map((object) => object.kind);
  expect(kinds).toEqual(expect.arrayContaining(["ClusterRole", "Deployment", "ServiceAccount"]));
});

test("the root that the chart passes on has Template, as `tpl` of an old Helm 3 needs", () => {
  const templates = files.filter((path) => path.startsWith("infra/helm/fleet-reloader/templates/"));
  const roots = templates.flatMap((path) => [...read(path).matchAll(/dict "Component".*/g)].map(String));
  expect(roots.length).toBeGreaterThan(5);
  for (const root of roots)
    for (const part of ["Values", "Release", "Chart", "Capabilities", "Template"])
      expect(root).toMatch(new RegExp(`"${part}" \\$?\\.${part}`));
});

/** Argo CD and `helm template` render without the cluster, and again and again. */
test("the chart renders by its values alone: no cluster, no randomness, no clock", () => {
  const templates = files.filter((path) => path.startsWith("infra/helm/fleet-reloader/templates/"));
  const impure =
    /\b(lookup|rand[A-Z]\w*|shuffle|uuidv4|genPrivateKey|gen\w*Cert\w*|genCA\w*|htpasswd|bcrypt|encryptAES|now|date\w*|ago|getHostByName)\s+[^\s}]/;
  const code = (path: string) => [...read(path).matchAll(/\{\{-?(?!\s*\/\*)[^}]*\}\}/g)].map(String);
  expect(templates.length).toBeGreaterThan(20);
  expect(templates.flatMap(code).filter((action) => impure.test(action))).toEqual([]);
});

test("every manifest that is no template is YAML of Kubernetes objects", () => {
  const manifests = files.filter(
    (path) => /^infra\/(manifests|kustomize|flux)\/.*\.yaml$/.test(path) && !path.endsWith("values.yaml"),
  );
  expect(manifests.length).toBeGreaterThan(4);
  // A kustomization has no name of its own.
  for (const path of manifests.filter((each) => !each.endsWith("kustomization.yaml")))
    expect(parseManifests(read(path)).length, path).toBeGreaterThan(0);
});

test("no registry is written anywhere: where things are published is the user's to say", () => {
  const place =
    /^\s*-?\s*(?:image|repository|imageRegistry|newName|url|repo|FROM):?\s+"?(?:[a-z]+:\/\/)?([^\s"{]+)/gm;
  const places = files
    .filter((path) => /\.yaml$|Dockerfile$/.test(path))
    .flatMap((path) => [...read(path).matchAll(place)].map((match) => match[1] ?? ""));
  expect(places).toEqual(
    expect.arrayContaining(["fleet-reloader", "REGISTRY/charts/fleet-reloader", "CHARTS"]),
  );
  expect(places.filter((each) => each.includes("/") && each.split("/")[0]?.includes("."))).toEqual([]);
});
