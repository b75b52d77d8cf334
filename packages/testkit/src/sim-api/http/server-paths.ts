import { reviewAccess } from "../auth/access-review.ts";
import { ANONYMOUS, type UserDirectory } from "../auth/users.ts";
import type { RequestCounters } from "../instruments/request-counters.ts";
import { apiVersionOf, type ResourceType } from "../objects/resource-types.ts";
import { forbidden, forbiddenPath, unknownResource } from "../status-errors.ts";
import type { Call } from "./call.ts";
import { createDiscovery, serverVersion } from "./discovery.ts";
import { objectBody } from "./request-body.ts";
import { readBody, sendJson, sendPlain } from "./respond.ts";
import { unservedResource } from "./route.ts";

const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const REVIEW_BYTES_MAX = 64 * 1024;

/** Open to everybody, as `system:public-info-viewer` makes them. */
const publicPaths = new Set(["/version", "/livez", "/readyz", "/healthz"]);

/** Open to everybody who is somebody, as `system:discovery` makes them. */
const discoveryPaths = /^\/(api|apis|openapi)(\/|$)/;

export interface PathDeps {
  readonly types: readonly ResourceType[];
  readonly users: UserDirectory;
  readonly counters: RequestCounters;
}

/** Everything that is not an object: health, version, discovery, access reviews. */
export function createPathServer(deps: PathDeps): (call: Call) => Promise<void> {
  const discover = createDiscovery(deps.types);
  return async (call) => {
    const { request, response, user } = call;
    const path = call.path.length > 1 ? call.path.replace(/\/$/, "") : call.path;
    const verb = (request.method ?? "GET").toLowerCase();
    deps.counters.begin(`${verb} ${path}`, request, response);
    checkAccess(deps.users, call, path);
    if (path === REVIEWS && verb === "post") {
      const content = (await readBody(request, REVIEW_BYTES_MAX)) ?? Buffer.alloc(0);
      const review = objectBody("SelfSubjectAccessReview", request.headers["content-type"], content);
      return sendJson(request, response, 201, reviewAccess(deps.users, user, review));
    }
    if (path === "/version") return sendJson(request, response, 200, serverVersion);
    if (publicPaths.has(path)) return sendPlain(response, 200, "ok");
    const document = discover(path);
    if (document !== undefined) return sendJson(request, response, 200, document);
    const groupPath = path.replace(/\/[^/]+$/, "");
    // What serves custom resources hands on what it does not know, and nobody behind it does.
    const isOfCustomGroup = deps.types.some(
      (type) => type.isCustom && groupPath === `/apis/${apiVersionOf(type)}`,
    );
    const isOfKnownGroup = discover(groupPath) !== undefined && !isOfCustomGroup;
    if (isOfKnownGroup && discoveryPaths.test(path)) throw unknownResource();
    sendPlain(response, 404, "404 page not found\n");
  };
}

function isOpen(users: UserDirectory, user: string, path: string): boolean {
  if (publicPaths.has(path) || users.mayAccess(user, { verb: "*", group: "*", resource: "*" })) return true;
  return user !== ANONYMOUS && (discoveryPaths.test(path) || path === REVIEWS);
}

function checkAccess(users: UserDirectory, call: Call, path: string): void {
  const unserved = path === REVIEWS ? undefined : unservedResource(path);
  const verb = (call.request.method ?? "GET").toLowerCase();
  if (unserved !== undefined) checkUnserved(users, call, unserved);
  else if (!isOpen(users, call.user, path)) throw forbiddenPath(call.user, verb, path);
}

/** A resource that does not exist is forbidden to whoever has no right to it: only to others it is not found. */
function checkUnserved(
  users: UserDirectory,
  { user, path, query, request }: Call,
  target: { readonly group: string; readonly resource: string; readonly name: string | undefined },
): void {
  const { group, resource, name } = target;
  const namespace = /\/namespaces\/([^/]+)\/[^/]/.exec(path)?.[1];
  const isWatch = ["true", "1"].includes(query.get("watch") ?? "");
  const read = name !== undefined ? "get" : isWatch ? "watch" : "list";
  const writes: Readonly<Record<string, string>> = {
    POST: "create",
    PUT: "update",
    PATCH: "patch",
    DELETE: "delete",
  };
  const verb = writes[request.method ?? ""] ?? read;
  if (users.mayAccess(user, { verb, group, resource, namespace, name })) return;
  const scope = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const why = `User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" ${scope}`;
  throw forbidden({ group, plural: resource }, name ?? "", why);
}
