import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, paths, secret } from "../manifests.ts";

async function five(api: Api): Promise<string> {
  const namespace = await api.namespace();
  for (const name of ["e", "b", "a", "d", "c"]) {
    const labels = { name, ...(name < "c" ? { half: "first" } : { half: "second", extra: "" }) };
    await api.post(paths.configMaps(namespace), { ...configMap(name), metadata: { name, labels } });
  }
  return namespace;
}

export function checkLists(api: Api): void {
  const namesOf = async (path: string, query: Record<string, string | number> = {}) => {
    const { json, status, text } = await api.get(path, query);
    expect(status, text).toBe(200);
    return json.items("items").map((item) => item.name);
  };

  describe("list", () => {
    test("is ordered by name and its items carry no kind", async () => {
      const namespace = await five(api);
      const { json } = await api.get(paths.configMaps(namespace));
      expect(json.text("kind")).toBe("ConfigMapList");
      expect(json.text("apiVersion")).toBe("v1");
      expect(json.items("items").map((item) => item.name)).toEqual(["a", "b", "c", "d", "e"]);
      expect(json.at("items", 0, "kind").value).toBeUndefined();
      expect(json.version).toMatch(/^\d+$/);
    });

    test("of all namespaces is ordered by namespace and name", async () => {
      const namespaces = [await api.namespace(), await api.namespace()].toSorted();
      for (const namespace of namespaces.toReversed()) {
        await api.post(paths.configMaps(namespace), {
          ...configMap("one"),
          metadata: { name: "one", labels: { all: namespaces[0] } },
        });
      }
      const { json } = await api.get("/api/v1/configmaps", { labelSelector: `all=${namespaces[0]}` });
      expect(json.items("items").map((item) => item.text("metadata", "namespace"))).toEqual(namespaces);
    });

    test("is whole when it is long, compressed or not", async () => {
      const namespace = await api.namespace();
      const names = Array.from({ length: 30 }, (_none, at) => `long-${String(at).padStart(2, "0")}`);
      for (const name of names) {
        await api.post(
          paths.configMaps(namespace),
          configMap(name, { text: `${name} ${"x".repeat(20_000)}` }),
        );
      }
      for (const acceptEncoding of ["identity", "gzip"]) {
        const { json, headers } = await api.send({ path: paths.configMaps(namespace), acceptEncoding });
        expect(headers["content-encoding"]).toBe(acceptEncoding === "gzip" ? "gzip" : undefined);
        expect(json.items("items").map((item) => item.name)).toEqual(names);
      }
    });

    test("of an unknown namespace is empty", async () => {
      expect(await namesOf(paths.configMaps("nowhere"))).toEqual([]);
    });

    test("in pages shows the state of the first page", async () => {
      const namespace = await five(api);
      const path = paths.configMaps(namespace);
      const first = (await api.get(path, { limit: 2 })).json;
      expect(first.items("items").map((item) => item.name)).toEqual(["a", "b"]);
      expect(first.number("metadata", "remainingItemCount")).toBe(3);
      await api.delete(paths.configMap(namespace, "c"));
      await api.post(path, configMap("cc"));
      await api.patch(paths.configMap(namespace, "d"), "merge", { data: { colour: "blue" } });
      const second = (await api.get(path, { limit: 2, continue: first.text("metadata", "continue") })).json;
      expect(second.items("items").map((item) => item.name)).toEqual(["c", "d"]);
      expect(second.text("items", 1, "data", "colour")).toBe("red");
      expect(second.version).toBe(first.version);
      const third = (await api.get(path, { limit: 2, continue: second.text("metadata", "continue") })).json;
      expect(third.items("items").map((item) => item.name)).toEqual(["e"]);
      expect(third.version).toBe(first.version);
      expect(third.text("metadata", "continue")).toBe("");
      expect(third.number("metadata", "remainingItemCount")).toBeUndefined();
    });

    test("in pages with a selector does not count what remains", async () => {
      const namespace = await five(api);
      const query = { limit: 1, labelSelector: "half=first" };
      const first = (await api.get(paths.configMaps(namespace), query)).json;
      expect(first.items("items").map((item) => item.name)).toEqual(["a"]);
      expect(first.number("metadata", "remainingItemCount")).toBeUndefined();
      const second = await namesOf(paths.configMaps(namespace), {
        ...query,
        continue: first.text("metadata", "continue"),
      });
      expect(second).toEqual(["b"]);
    });

    test("refuses a token that is none, and a version beside a token", async () => {
      const namespace = await five(api);
      const path = paths.configMaps(namespace);
      expect((await api.get(path, { limit: 2, continue: "garbage" })).status).toBe(400);
      const token = (await api.get(path, { limit: 2 })).json.text("metadata", "continue");
      const both = await api.get(path, { limit: 2, continue: token, resourceVersion: "5" });
      expect(both.status).toBe(400);
    });

    test("knows every form of label selector", async () => {
      const path = paths.configMaps(await five(api));
      const by = (labelSelector: string) => namesOf(path, { labelSelector });
      expect(await by("half=first")).toEqual(["a", "b"]);
      expect(await by("half==first")).toEqual(["a", "b"]);
      expect(await by("half!=first")).toEqual(["c", "d", "e"]);
      expect(await by("name in (a,e),half")).toEqual(["a", "e"]);
      expect(await by("name notin (a,e)")).toEqual(["b", "c", "d"]);
      expect(await by("extra")).toEqual(["c", "d", "e"]);
      expect(await by("!extra")).toEqual(["a", "b"]);
      expect(await by("extra=")).toEqual(["c", "d", "e"]);
      expect(await by("absent!=x")).toEqual(["a", "b", "c", "d", "e"]);
      expect((await api.get(path, { labelSelector: "a b" })).status).toBe(400);
    });

    test("selects ConfigMaps by name and namespace only", async () => {
      const namespace = await five(api);
      const path = paths.configMaps(namespace);
      expect(await namesOf(path, { fieldSelector: "metadata.name=b" })).toEqual(["b"]);
      expect(await namesOf(path, { fieldSelector: "metadata.name!=b" })).toEqual(["a", "c", "d", "e"]);
      const both = `metadata.namespace=${namespace},metadata.name=a`;
      expect(await namesOf("/api/v1/configmaps", { fieldSelector: both })).toEqual(["a"]);
      const { status, json } = await api.get(path, { fieldSelector: "data.colour=red" });
      expect(status).toBe(400);
      expect(json.text("reason")).toBe("BadRequest");
    });

    test("selects Secrets by type too", async () => {
      const namespace = await api.namespace();
      const path = paths.secrets(namespace);
      await api.post(path, secret("plain"));
      await api.post(path, secret("helm", "helm.sh/release.v1"));
      expect(await namesOf(path, { fieldSelector: "type=helm.sh/release.v1" })).toEqual(["helm"]);
      expect(await namesOf(path, { fieldSelector: "type!=helm.sh/release.v1" })).toEqual(["plain"]);
      expect(await namesOf(path, { fieldSelector: "type!=helm.sh/release.v1,type!=Opaque" })).toEqual([]);
    });

    test("shows an exact older version when asked for", async () => {
      const namespace = await five(api);
      const path = paths.configMaps(namespace);
      const then = (await api.get(path)).json.version;
      await api.delete(paths.configMap(namespace, "a"));
      const exact = await api.get(path, { resourceVersion: then, resourceVersionMatch: "Exact" });
      expect(exact.json.items("items").length).toBe(5);
      expect(exact.json.version).toBe(then);
      const fresh = await api.get(path, { resourceVersion: then, resourceVersionMatch: "NotOlderThan" });
      expect(fresh.json.items("items").length).toBe(4);
    });

    test("accepts version 0 as any state", async () => {
      const namespace = await five(api);
      const { status, json } = await api.get(paths.configMaps(namespace), { resourceVersion: "0" });
      expect(status).toBe(200);
      expect(json.version).toMatch(/^\d+$/);
    });

    test("not older than a version of the future is 504", async () => {
      const namespace = await five(api);
      const query = { resourceVersion: "999999999", resourceVersionMatch: "NotOlderThan" };
      const { status, json, headers } = await api.get(paths.configMaps(namespace), query);
      expect(status).toBe(504);
      expect(json.text("reason")).toBe("Timeout");
      expect(json.text("message")).toMatch(/^Timeout: Too large resource version: 999999999, current: \d+$/);
      expect(json.at("details").value).toEqual({
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      });
      expect(headers["retry-after"]).toBe("1");
      const one = await api.get(paths.configMap(namespace, "a"), { resourceVersion: "999999999" });
      expect(one.status).toBe(504);
    });

    test("refuses combinations that mean nothing", async () => {
      const path = paths.configMaps("default");
      const statusOf = async (query: Record<string, string>) => (await api.get(path, query)).status;
      expect(await statusOf({ resourceVersionMatch: "Exact" })).toBe(422);
      expect(await statusOf({ resourceVersionMatch: "Exact", resourceVersion: "0" })).toBe(422);
      expect(await statusOf({ resourceVersionMatch: "Sometimes", resourceVersion: "1" })).toBe(422);
      expect(await statusOf({ sendInitialEvents: "true" })).toBe(422);
      expect(await statusOf({ resourceVersion: "abc" })).toBe(400);
    });
  });
}
