import { whileInTime } from "@fleet-reloader/testkit/in-time";
import { describe, expect, test } from "vitest";
import type { Api } from "../api.ts";
import { configMap, paths } from "../manifests.ts";
import { openRequest } from "../target.ts";
import { typesOf } from "../watch.ts";

/** In this time all is written that a watch has to tell before it ends, or before its last bookmark. */
const watchedMs = 2500;

export function checkWatches(api: Api): void {
  describe("watch", () => {
    test("from a version: every later change once, in order", () =>
      whileInTime(watchedMs, async (inTime) => {
        const namespace = await api.namespace();
        const path = paths.configMaps(namespace);
        await api.post(path, configMap("before"));
        const from = (await api.get(path)).json.version;
        await api.post(path, configMap("a"));
        inTime();
        using watch = await api.watch(path, { resourceVersion: from, timeoutSeconds: 3 });
        await api.patch(paths.configMap(namespace, "a"), "merge", { data: { colour: "blue" } });
        await api.patch(paths.configMap(namespace, "a"), "merge", { data: { colour: "blue" } });
        await api.delete(paths.configMap(namespace, "a"));
        await api.post(path, configMap("b"));
        inTime();
        const events = await watch.take(4);
        expect(typesOf(events)).toEqual(["ADDED", "MODIFIED", "DELETED", "ADDED"]);
        expect(events.map(({ object }) => object.name)).toEqual(["a", "a", "a", "b"]);
        expect(events[0]?.object.text("kind")).toBe("ConfigMap");
        const versions = events.map(({ object }) => Number(object.version));
        expect(versions).toEqual(versions.toSorted((left, right) => left - right));
        expect(new Set(versions).size).toBe(4);
        expect(events[2]?.object.text("data", "colour")).toBe("blue");
        expect(await watch.rest()).toEqual([]);
      }));

    test("without a version: first what exists, then what happens", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      for (const name of ["b", "a"]) await api.post(path, configMap(name));
      for (const query of [{}, { resourceVersion: "0" }]) {
        using watch = await api.watch(path, query);
        const first = await watch.take(2);
        expect(typesOf(first)).toEqual(["ADDED", "ADDED"]);
        expect(new Set(first.map(({ object }) => object.name))).toEqual(new Set(["a", "b"]));
        await api.patch(paths.configMap(namespace, "a"), "merge", {
          data: { now: String(performance.now()) },
        });
        expect(typesOf(await watch.take(1))).toEqual(["MODIFIED"]);
      }
    });

    test("hears of its own namespace only", async () => {
      const [mine, other] = [await api.namespace(), await api.namespace()];
      using watch = await api.watch(paths.configMaps(mine));
      await api.post(paths.configMaps(other), configMap("other"));
      await api.post(paths.configMaps(mine), configMap("mine"));
      expect((await watch.take(1))[0]?.object.name).toBe("mine");
    });

    test("a selector turns a change of labels into ADDED and DELETED", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      await api.post(path, configMap("a"));
      using watch = await api.watch(path, { labelSelector: "on=yes" });
      const label = (on: string | null) =>
        api.patch(paths.configMap(namespace, "a"), "merge", { metadata: { labels: { on } } });
      await label("yes");
      await api.patch(paths.configMap(namespace, "a"), "merge", { data: { colour: "blue" } });
      const off = await label(null);
      const events = await watch.take(3);
      expect(typesOf(events)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
      expect(events[2]?.object.version).toBe(off.json.version);
      expect(events[2]?.object.text("metadata", "labels", "on")).toBe("yes");
    });

    test("a field selector watches one object", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      using watch = await api.watch(path, { fieldSelector: "metadata.name=b" });
      await api.post(path, configMap("a"));
      await api.post(path, configMap("b"));
      expect((await watch.take(1))[0]?.object.name).toBe("b");
    });

    test("ends in good order when its time is up, after a last bookmark", () =>
      whileInTime(watchedMs, async (inTime) => {
        const namespace = await api.namespace();
        const path = paths.configMaps(namespace);
        const elsewhere = paths.configMaps(await api.namespace());
        const { version } = (await api.get(path)).json;
        inTime();
        using watch = await api.watch(path, {
          resourceVersion: version,
          allowWatchBookmarks: "true",
          timeoutSeconds: 5,
        });
        // Without any change of the kind, wherever, no bookmark comes: it would say nothing new.
        await api.post(elsewhere, configMap("elsewhere"));
        inTime();
        const events = await watch.rest();
        await watch.ended;
        expect(typesOf(events)).toContain("BOOKMARK");
        const { object } = events.at(-1) ?? { object: undefined };
        expect(object?.text("kind")).toBe("ConfigMap");
        expect(Number(object?.version)).toBeGreaterThanOrEqual(Number(version));
        expect(object?.name).toBe("");
      }));

    test("marks the end of the state it begins with, when bookmarks are asked for", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      await api.post(path, configMap("a"));
      using watch = await api.watch(path, { resourceVersion: "0", allowWatchBookmarks: "true" });
      const events = await watch.take(2);
      expect(typesOf(events)).toEqual(["ADDED", "BOOKMARK"]);
      const mark = events[1]?.object.text("metadata", "annotations", "k8s.io/initial-events-end");
      expect(mark).toBe("true");
    });

    test("sends no bookmark that nobody asked for", async () => {
      const namespace = await api.namespace();
      using watch = await api.watch(paths.configMaps(namespace), { timeoutSeconds: 4 });
      expect(await watch.rest()).toEqual([]);
    });

    test("from a version of the future: open and silent, changes and bookmarks included", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      using watch = await api.watch(path, {
        resourceVersion: "999999999",
        allowWatchBookmarks: "true",
        timeoutSeconds: 4,
      });
      expect(watch.status).toBe(200);
      await api.post(path, configMap("a"));
      expect(await watch.rest()).toEqual([]);
    });

    test("refuses what makes no sense", async () => {
      const path = paths.configMaps("default");
      const statusOf = async (query: Record<string, string>) =>
        (await api.get(path, { watch: "true", timeoutSeconds: 1, ...query })).status;
      expect(await statusOf({ resourceVersionMatch: "NotOlderThan" })).toBe(422);
      expect(await statusOf({ sendInitialEvents: "true" })).toBe(422);
      expect(await statusOf({ resourceVersion: "abc" })).toBe(500);
    });

    test("a reader that does not read is closed, and reads on from its last version", async () => {
      const namespace = await api.namespace();
      const path = paths.configMaps(namespace);
      await api.post(path, configMap("a"));
      const { version } = (await api.get(path)).json;
      const response = await openRequest(api.target, {
        path,
        query: { watch: "true", resourceVersion: version },
      });
      response.pause();
      const changes = 400;
      for (let change = 0; change < changes; change += 1) {
        const data = { change: String(change), filler: "x".repeat(100_000) };
        await api.patch(paths.configMap(namespace, "a"), "merge", { data });
      }
      let lines = 0;
      for await (const chunk of response) lines += String(chunk).split("\n").length - 1;
      // It ended by itself, and before everything was told.
      expect(lines).toBeLessThan(changes);
    });
  });
}
