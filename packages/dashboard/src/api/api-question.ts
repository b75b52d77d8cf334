import { type ApiRouteName, apiRoot, apiRoutes } from "@fleet-reloader/contracts/api/api-routes";
import { newsPath } from "@fleet-reloader/contracts/api/news";
import { decodePercentCodes } from "@fleet-reloader/domain/bytes";
import { nearestName } from "@fleet-reloader/domain/spelling/nearest-name";
import { refusedQuestion } from "@fleet-reloader/engine/overview/refused-question";

/** A question to a route of the API, not yet checked. */
export interface ApiQuestion {
  readonly route: ApiRouteName;
  /** The values of the path's parameters. */
  readonly path: Readonly<Record<string, string>>;
  readonly parameters: URLSearchParams;
}

/** Finds the route of an address. Faults when there is none. */
export function readApiQuestion(address: Pick<URL, "pathname" | "searchParams">): ApiQuestion {
  for (const route of routeNames) {
    const { path } = apiRoutes[route];
    const found = patternOf(path).exec(address.pathname);
    if (found === null) continue;
    const pairs = pathNames(path).map((field, at) => [field, decoded(found[at + 1] ?? "")] as const);
    for (const [field, value] of pairs) checkName(field, value);
    return { route, path: Object.fromEntries(pairs), parameters: address.searchParams };
  }
  throw refusedQuestion({
    field: "path",
    value: address.pathname,
    problem: "path: the API has no such route",
    mend: routeMend(address.pathname),
  });
}

/** Names the routes that begin with what was probably meant, or all. */
function routeMend(pathname: string): string {
  const begin = (path: string) => path.split("/")[1] ?? "";
  const all = [...routeNames.map((route) => apiRoutes[route].path), newsPath];
  const near = nearestName(begin(pathname.slice(apiRoot.length)), [...new Set(all.map(begin))]);
  const written = (paths: readonly string[], separator: string) =>
    paths.map((path) => `${apiRoot}${path}`).join(separator);
  if (near === undefined) return `the routes are ${written(all, ", ")}`;
  const meant = all.filter((path) => begin(path) === near);
  return `did you mean ${written(meant, " or ")}?`;
}

const routeNames = [
  "status",
  "clusters",
  "changes",
  "change",
  "held",
  "queue",
  "activity",
  "operators",
  "managed",
  "workload",
  "source",
] as const satisfies readonly ApiRouteName[];

function patternOf(path: string): RegExp {
  return new RegExp(`^${apiRoot}${path.replace(/\{\w+\}/g, "([^/]+)")}$`);
}

/** The names of a path's parameters, in their order. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Faults unless a name that goes into a path to an API server is exactly one segment of it. */
function checkName(field: string, value: string): void {
  if ((field !== "namespace" && field !== "name") || !/^\.{1,2}$|\//.test(value)) return;
  throw refusedQuestion({
    field,
    value,
    problem: `${field}: no object is called so`,
    mend: "write the name as kubectl shows it",
  });
}

function decoded(text: string): string {
  const name = decodePercentCodes(text);
  if (name !== undefined) return name;
  throw refusedQuestion({
    field: "path",
    value: text,
    problem: "path: a part of it is no percent-encoded UTF-8",
    mend: "encode each name as encodeURIComponent does",
  });
}
