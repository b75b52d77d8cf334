import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, paths } from "../manifests.ts";

export function checkProtocol(api: Api): void {
  describe("protocol", () => {
    test("health answers ok in plain text", async () => {
      for (const path of ["/livez", "/readyz", "/healthz"]) {
        expect(await api.get(path)).toMatchObject({ status: 200, text: "ok" });
      }
    });

    test("the version names major and minor", async () => {
      const { json } = await api.get("/version");
      expect(json.text("major")).toBe("1");
      expect(json.text("minor")).toMatch(/^\d+/);
      expect(json.text("gitVersion")).toMatch(/^v1\./);
    });

    test("discovery lists groups, resources, short names and subresources", async () => {
      expect((await api.get("/api")).json.at("versions").value).toEqual(["v1"]);
      const groups = (await api.get("/apis")).json.items("groups").map((group) => group.text("name"));
      expect(groups).toEqual(expect.arrayContaining(["apps", "batch", "authorization.k8s.io"]));
      const apps = (await api.get("/apis/apps/v1")).json;
      expect(apps.text("kind")).toBe("APIResourceList");
      const deployments = apps.items("resources").find((each) => each.text("name") === "deployments");
      expect(deployments?.at("shortNames").value).toEqual(["deploy"]);
      const names = apps.items("resources").map((each) => each.text("name"));
      expect(names).toEqual(expect.arrayContaining(["deployments/status", "deployments/scale"]));
    });

    test("an unknown path is 404 without a Status about an object", async () => {
      expect((await api.get("/apis/nowhere/v1/things")).status).toBe(404);
      expect((await api.get("/api/v1/things")).status).toBe(404);
    });

    test("every group has kube-system with a uid", async () => {
      const { json } = await api.get("/api/v1/namespaces/kube-system");
      expect(json.text("metadata", "uid")).toMatch(/^[0-9a-f]{8}-/);
      expect(json.text("status", "phase")).toBe("Active");
    });

    test("a method that a path does not know is 405", async () => {
      const namespace = await api.namespace();
      const answer = await api.post(paths.configMap(namespace, "x"), configMap("x"));
      expect(answer.status).toBe(405);
      expect(answer.json.text("reason")).toBe("MethodNotAllowed");
    });

    test("gzip when asked for, above 128 KiB only", async () => {
      const namespace = await api.namespace();
      await api.post(paths.configMaps(namespace), configMap("large", { text: "x".repeat(200_000) }));
      await api.post(paths.configMaps(namespace), configMap("small"));
      const encodingOf = async (name: string, acceptEncoding?: string) => {
        const call = { path: paths.configMap(namespace, name) };
        const answer = await api.send(acceptEncoding === undefined ? call : { ...call, acceptEncoding });
        expect(answer.json.name).toBe(name);
        return answer.headers["content-encoding"];
      };
      expect(await encodingOf("large", "gzip")).toBe("gzip");
      expect(await encodingOf("large")).toBeUndefined();
      expect(await encodingOf("small", "gzip")).toBeUndefined();
    });

    test("a body that is no JSON is 400", async () => {
      const namespace = await api.namespace();
      const answer = await api.post(paths.configMaps(namespace), "{");
      expect(answer.status).toBe(400);
      expect(answer.json.text("reason")).toBe("BadRequest");
    });

    test("an unknown content type is 415", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      await api.post(path, configMap("a"));
      const call = {
        method: "PATCH",
        path: paths.configMap(namespace, "a"),
        body: "{}",
        contentType: "text/plain",
      };
      const patched = await api.send(call);
      expect(patched.status).toBe(415);
      expect(patched.json.text("reason")).toBe("UnsupportedMediaType");
    });
  });
}
