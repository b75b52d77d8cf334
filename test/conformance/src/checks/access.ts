import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, paths } from "../manifests.ts";

export function checkAccess(api: Api): void {
  describe("access", () => {
    test("an unknown token is 401 with a Status", async () => {
      const answer = await api.send({ path: "/api/v1/configmaps", token: "nobody" });
      expect(answer.status).toBe(401);
      expect(answer.json.value).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: "Unauthorized",
        reason: "Unauthorized",
        code: 401,
      });
    });

    test("403 says who may not do what where", async () => {
      const token = api.target.limitedToken;
      const list = await api.send({ path: "/api/v1/configmaps", token });
      expect(list.json.value).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message:
          'configmaps is forbidden: User "limited" cannot list resource "configmaps" in API group "" at the cluster scope',
        reason: "Forbidden",
        details: { kind: "configmaps" },
        code: 403,
      });
      const get = await api.send({ path: paths.deployment("default", "web"), token });
      expect(get.json.text("message")).toBe(
        'deployments.apps "web" is forbidden: User "limited" cannot get resource "deployments" in API group "apps" in the namespace "default"',
      );
      expect(get.json.at("details").value).toEqual({ name: "web", group: "apps", kind: "deployments" });
      const watch = await api.send({ path: "/api/v1/namespaces/default/secrets?watch=true", token });
      expect(watch.json.text("message")).toBe(
        'secrets is forbidden: User "limited" cannot watch resource "secrets" in API group "" in the namespace "default"',
      );
      const create = await api.send({
        method: "POST",
        path: paths.configMaps("default"),
        body: configMap("x"),
        token,
      });
      expect(create.json.text("message")).toBe(
        'configmaps is forbidden: User "limited" cannot create resource "configmaps" in API group "" in the namespace "default"',
      );
      const namespace = await api.send({ path: "/api/v1/namespaces/kube-system", token });
      expect(namespace.json.text("message")).toBe(
        'namespaces "kube-system" is forbidden: User "limited" cannot get resource "namespaces" in API group "" in the namespace "kube-system"',
      );
      const status = await api.send({
        method: "PATCH",
        path: `${paths.deployment("default", "web")}/status`,
        body: {},
        contentType: "application/merge-patch+json",
        token,
      });
      expect(status.json.text("message")).toBe(
        'deployments.apps "web" is forbidden: User "limited" cannot patch resource "deployments/status" in API group "apps" in the namespace "default"',
      );
    });

    test("without a token: health and version only", async () => {
      expect((await api.send({ path: "/version", token: "" })).status).toBe(200);
      expect((await api.send({ path: "/readyz", token: "" })).status).toBe(200);
      const answer = await api.send({ path: "/api/v1/configmaps", token: "" });
      expect(answer.status).toBe(403);
      expect(answer.json.text("message")).toContain(
        'User "system:anonymous" cannot list resource "configmaps"',
      );
    });

    test("a user may ask what it may do", async () => {
      const review = {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SelfSubjectAccessReview",
        spec: { resourceAttributes: { verb: "list", resource: "secrets" } },
      };
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
      const admin = await api.post(path, review);
      expect(admin.status).toBe(201);
      expect(admin.json.at("status", "allowed").value).toBe(true);
      const limited = await api.send({ method: "POST", path, body: review, token: api.target.limitedToken });
      expect(limited.status).toBe(201);
      expect(limited.json.at("status", "allowed").value).toBe(false);
    });
  });
}
