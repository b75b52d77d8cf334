import { expect, it } from "vitest";
import { routeOf } from "./route.ts";

it.each([
  ["GET", "/c/17/api/v1/configmaps?limit=500", "list", "configmaps", ""],
  ["GET", "/c/17/apis/apps/v1/deployments?watch=1&resourceVersion=5", "watch", "deployments", ""],
  ["GET", "/c/17/api/v1/namespaces/kube-system", "get", "namespaces", "kube-system"],
  ["GET", "/c/17/api/v1/namespaces/team-1/secrets/a", "get", "secrets", "a"],
  ["PATCH", "/c/17/apis/apps/v1/namespaces/team-1/deployments/a?fieldManager=x", "patch", "deployments", "a"],
  ["POST", "/c/17/apis/events.k8s.io/v1/namespaces/team-1/events", "create", "events", ""],
  ["GET", "/c/17/apis", "get", "", ""],
])("%s %s: %s of %s", (method, target, verb, resource, name) => {
  expect(routeOf(method, target)).toMatchObject({ cluster: 17, verb, resource, name });
});

it("knows no cluster where there is none", () => {
  expect(routeOf("GET", "/api/v1/configmaps")).toBeUndefined();
});
