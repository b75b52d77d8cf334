import { apiVersionOf, type ResourceType } from "../objects/resource-types.ts";

export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** Where a request goes: one object, or all of a namespace or of the cluster. */
export interface ResourceRoute {
  readonly type: ResourceType;
  /** undefined: all namespaces, or a resource without one. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Finds the resource that a path speaks of; undefined for every other path. Types may be added at any time. */
export function createRouter(types: readonly ResourceType[]): (path: string) => ResourceRoute | undefined {
  const byPath = new Map<string, ResourceType>();
  const typeAt = (path: string): ResourceType | undefined => {
    if (byPath.size !== types.length) {
      for (const type of types) byPath.set(`${apiVersionOf(type)}/${type.plural}`, type);
    }
    return byPath.get(path);
  };
  return (path) => {
    const parts = partsOf(path);
    const root = parts[0];
    const apiVersion = root === "api" ? parts[1] : root === "apis" ? `${parts[1]}/${parts[2]}` : undefined;
    if (apiVersion === undefined) return undefined;
    const rest = parts.slice(root === "api" ? 2 : 3);
    const find = (plural: string | undefined) => typeAt(`${apiVersion}/${plural}`);
    if (rest[0] === "namespaces" && rest.length > 2) {
      const type = find(rest[2]);
      if (type?.isNamespaced === true) return routeTo(type, rest[1], rest.slice(3));
    }
    const type = find(rest[0]);
    if (type === undefined || (type.isNamespaced && rest.length > 1)) return undefined;
    return routeTo(type, undefined, rest.slice(1));
  };
}

/** The resource that a path would speak of if the server had it: rights are asked before that is. */
export function unservedResource(
  path: string,
): { readonly group: string; readonly resource: string; readonly name: string | undefined } | undefined {
  const [root, group, version, ...rest] = partsOf(path);
  if (root !== "apis" || group === undefined || version === undefined || rest.length === 0) return undefined;
  const inner = rest[0] === "namespaces" && rest.length > 2 ? rest.slice(2) : rest;
  const [resource = "", name] = inner;
  return { group, resource, name };
}

function partsOf(path: string): readonly string[] {
  return path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
}

function routeTo(
  type: ResourceType,
  namespace: string | undefined,
  rest: readonly string[],
): ResourceRoute | undefined {
  if (rest.length > 2) return undefined;
  return { type, namespace, name: rest[0], subresource: rest[1] };
}

export function verbOf(
  method: string | undefined,
  route: ResourceRoute,
  query: URLSearchParams,
): Verb | undefined {
  const isWatch = ["true", "1"].includes(query.get("watch") ?? "");
  switch (method) {
    case "GET":
      if (isWatch) return "watch";
      return route.name === undefined ? "list" : "get";
    case "POST":
      return route.name === undefined ? "create" : undefined;
    case "PUT":
      return route.name === undefined ? undefined : "update";
    case "PATCH":
      return route.name === undefined ? undefined : "patch";
    case "DELETE":
      return route.name === undefined ? "deletecollection" : "delete";
    default:
      return undefined;
  }
}
