import type { JsonObject } from "../objects/json.ts";
import { apiVersionOf, type ResourceType } from "../objects/resource-types.ts";

const objectVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const statusVerbs = ["get", "patch", "update"];

/** The version whose behaviour is played. */
export const serverVersion: JsonObject = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.0-sim",
  gitCommit: "0000000000000000000000000000000000000000",
  gitTreeState: "clean",
  buildDate: "2026-04-22T00:00:00Z",
  goVersion: "go1.26.0",
  compiler: "gc",
  platform: "linux/amd64",
};

/** `/api`, `/apis` and what hangs below them, as kubectl and client libraries ask for it. Types may be added at any time. */
export function createDiscovery(types: readonly ResourceType[]): (path: string) => JsonObject | undefined {
  let documents = documentsOf(types);
  let typeCount = types.length;
  return (path) => {
    if (typeCount !== types.length) documents = documentsOf(types);
    typeCount = types.length;
    return documents.get(path);
  };
}

function documentsOf(types: readonly ResourceType[]): ReadonlyMap<string, JsonObject> {
  const documents = new Map<string, JsonObject>();
  const groupVersions = new Map<string, ResourceType[]>();
  for (const type of types)
    groupVersions.set(apiVersionOf(type), [...(groupVersions.get(apiVersionOf(type)) ?? []), type]);
  const groups = [...groupVersions.keys(), "authorization.k8s.io/v1"]
    .filter((name) => name.includes("/"))
    .map(groupOf);

  documents.set("/api", { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] });
  documents.set("/apis", { kind: "APIGroupList", apiVersion: "v1", groups });
  for (const group of groups)
    documents.set(`/apis/${group.name}`, { kind: "APIGroup", apiVersion: "v1", ...group });
  for (const [groupVersion, served] of groupVersions) {
    documents.set(pathOf(groupVersion), resourceList(groupVersion, served.flatMap(entriesOf)));
  }
  const review = {
    name: "selfsubjectaccessreviews",
    singularName: "selfsubjectaccessreview",
    namespaced: false,
    kind: "SelfSubjectAccessReview",
    verbs: ["create"],
  };
  documents.set("/apis/authorization.k8s.io/v1", resourceList("authorization.k8s.io/v1", [review]));
  addOpenApi(documents, groupVersions);
  return documents;
}

function pathOf(groupVersion: string): string {
  return groupVersion.includes("/") ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
}

function groupOf(groupVersion: string): { readonly name: string } & JsonObject {
  const [name = "", version = ""] = groupVersion.split("/");
  const entry = { groupVersion, version };
  return { name, versions: [entry], preferredVersion: entry };
}

function resourceList(groupVersion: string, resources: readonly JsonObject[]): JsonObject {
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

function entriesOf(type: ResourceType): readonly JsonObject[] {
  const main = {
    name: type.plural,
    singularName: type.singular,
    namespaced: type.isNamespaced,
    kind: type.kind,
    verbs: objectVerbs,
    ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
    ...(type.templatePath === undefined ? {} : { categories: ["all"] }),
  };
  const subresource = (name: string, kind: JsonObject): JsonObject => ({
    name: `${type.plural}/${name}`,
    singularName: "",
    namespaced: type.isNamespaced,
    ...kind,
    verbs: statusVerbs,
  });
  return [
    main,
    ...(type.hasStatus ? [subresource("status", { kind: type.kind })] : []),
    ...(type.hasScale ? [subresource("scale", { group: "autoscaling", version: "v1", kind: "Scale" })] : []),
  ];
}

/**
 * No schemas: just enough for kubectl to learn that the server checks fields itself, so that
 * `kubectl apply` and `create` work without `--validate=false`.
 */
function addOpenApi(
  documents: Map<string, JsonObject>,
  groupVersions: ReadonlyMap<string, readonly ResourceType[]>,
): void {
  const paths: Record<string, JsonObject> = {};
  for (const [groupVersion, types] of groupVersions) {
    const path = pathOf(groupVersion).slice(1);
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}` };
    documents.set(`/openapi/v3/${path}`, {
      openapi: "3.0.0",
      info: { title: "Kubernetes", version: "v1.36.0-sim" },
      paths: Object.fromEntries(types.map((type) => [`/${path}/${type.plural}/{name}`, operationsOf(type)])),
      components: { schemas: {} },
    });
  }
  documents.set("/openapi/v3", { paths });
}

function operationsOf(type: ResourceType): JsonObject {
  const parameters = ["dryRun", "fieldManager", "fieldValidation"].map((name) => ({
    name,
    in: "query",
    schema: { type: "string", uniqueItems: true },
  }));
  const operation = {
    parameters,
    responses: {},
    "x-kubernetes-group-version-kind": { group: type.group, version: type.version, kind: type.kind },
  };
  return { patch: operation, post: operation, put: operation };
}
