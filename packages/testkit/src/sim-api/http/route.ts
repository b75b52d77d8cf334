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

/** Finds the resource that a path speaks of; undefined for every other path. */
export function createRouter(types: readonly ResourceType[]): (path: string) => ResourceRoute | undefined {
  const byPath = new Map(types.map((type) => [`${apiVersionOf(type)}/${type.plural}`, type]));
  return (path) => {
    const parts = path
      .split("/")
      .filter((part) => part !== "")
      .map(decodeURIComponent);
    const root = parts[0];
    const apiVersion = root === "api" ? parts[1] : root === "apis" ? `${parts[1]}/${parts[2]}` : undefined;
    if (apiVersion === undefined) return undefined;
    const rest = parts.slice(root === "api" ? 2 : 3);
    const find = (plural: string | undefined) => byPath.get(`${apiVersion}/${plural}`);
    if (rest[0] === "namespaces" && rest.length > 2) {
      const type = find(rest[2]);
      if (type?.isNamespaced === true) return routeTo(type, rest[1], rest.slice(3));
    }
    const type = find(rest[0]);
    if (type === undefined || (type.isNamespaced && rest.length > 1)) return undefined;
    return routeTo(type, undefined, rest.slice(1));
  };
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
