import { isOlderVersion } from "@fleet-reloader/domain/resource-version";
import { expect, test } from "vitest";
import { resourcePath } from "./resource.ts";

test("paths of the core group and of others, with and without namespace and name", () => {
  const secrets = { group: "", version: "v1", plural: "secrets" };
  const deployments = { group: "apps", version: "v1", plural: "deployments" };
  expect(resourcePath(secrets)).toBe("/api/v1/secrets");
  expect(resourcePath(secrets, "shop", "db")).toBe("/api/v1/namespaces/shop/secrets/db");
  expect(resourcePath(deployments, "shop")).toBe("/apis/apps/v1/namespaces/shop/deployments");
});

test("a name cannot leave its place in the path", () => {
  const secrets = { group: "", version: "v1", plural: "secrets" };
  expect(resourcePath(secrets, "../kube-system", "a/b?c")).toBe(
    "/api/v1/namespaces/..%2Fkube-system/secrets/a%2Fb%3Fc",
  );
});

test("versions are compared as numbers of any size", () => {
  expect(isOlderVersion("9", "10")).toBe(true);
  expect(isOlderVersion("10", "9")).toBe(false);
  expect(isOlderVersion("10", "10")).toBe(false);
  expect(isOlderVersion("9007199254740992", "9007199254740993")).toBe(true);
});
