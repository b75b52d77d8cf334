/** What a request to a logical cluster asks for. */
export interface FleetRoute {
  readonly verb: "get" | "list" | "watch" | "create" | "patch" | "update" | "delete";
  /** The plural; empty for what is no resource. */
  readonly resource: string;
  readonly name: string;
  /** Below the cluster's own path. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly cluster: number;
}

const verbs = { POST: "create", PATCH: "patch", PUT: "update", DELETE: "delete" } as const;

/** `/c/17/api/v1/namespaces/team-1/configmaps/settings-000001?…`; undefined where there is no such cluster path. */
export function routeOf(method: string, target: string): FleetRoute | undefined {
  const { pathname, searchParams: query } = new URL(target, "http://fleet");
  const [, cluster, path = "/"] = /^\/c\/(\d+)(\/.*)?$/.exec(pathname) ?? [];
  if (cluster === undefined) return undefined;
  const [, , namespaced, name = ""] =
    /^\/(api\/v1|apis\/[^/]+\/[^/]+)\/(?:namespaces\/[^/]+\/)?([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const resource = namespaced ?? "";
  const read = name !== "" || resource === "" ? "get" : query.get("watch") === null ? "list" : "watch";
  const written = Object.entries(verbs).find(([each]) => each === method)?.[1];
  return { verb: written ?? read, resource, name, path, query, cluster: Number(cluster) };
}
