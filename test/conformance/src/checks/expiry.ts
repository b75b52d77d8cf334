import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, paths } from "../manifests.ts";

export function checkExpiry(api: Api): void {
  describe("expired history", () => {
    test("an old version is 410: an event for a watch, a status for lists and tokens", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      for (const name of ["a", "b", "c"]) await api.post(path, configMap(name));
      const page = (await api.get(path, { limit: 1 })).json;
      const old = page.version;
      for (const name of ["d", "e"]) await api.post(path, configMap(name));
      await api.target.expireHistory();

      using watch = await api.watch(path, { resourceVersion: old });
      expect(watch.status).toBe(200);
      const [event] = await watch.rest();
      expect(event?.type).toBe("ERROR");
      expect(event?.object.number("code")).toBe(410);
      expect(event?.object.text("kind")).toBe("Status");
      expect(event?.object.text("reason")).toBe("Expired");
      expect(event?.object.text("message")).toMatch(
        new RegExp(`^too old resource version: ${old} \\(\\d+\\)$`),
      );

      const exact = await api.get(path, { resourceVersion: old, resourceVersionMatch: "Exact" });
      expect(exact.status).toBe(410);
      expect(exact.json.text("reason")).toBe("Expired");

      const next = await api.get(path, { limit: 1, continue: page.text("metadata", "continue") });
      expect(next.status).toBe(410);
      expect(next.json.text("reason")).toBe("Expired");
      expect(next.json.text("message")).toContain("continue parameter is too old");
      // The token in the answer leads on, at the price of consistency.
      const token = next.json.text("metadata", "continue");
      const rest = await api.get(path, { continue: token });
      expect(rest.json.items("items").map((item) => item.name)).toEqual(["b", "c", "d", "e"]);
    });

    test("a list not older than an old version still works", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      await api.post(path, configMap("a"));
      const query = { resourceVersion: "1", resourceVersionMatch: "NotOlderThan" };
      expect((await api.get(path, query)).status).toBe(200);
    });

    test("the current version can still be watched", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      const { version } = (await api.get(path)).json;
      using watch = await api.watch(path, { resourceVersion: version });
      await api.post(path, configMap("a"));
      expect((await watch.take(1))[0]?.type).toBe("ADDED");
    });
  });
}
