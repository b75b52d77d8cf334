import type { Fault } from "@fleet-reloader/domain/fault";
import { describe, expect, test } from "vitest";
import {
  dependentsOf,
  entryOf,
  type IndexUnderTest,
  namesOf,
  versionOf,
  workloadNamed,
} from "./index-under-test.ts";

/** What every reference index promises of its session: what it remembers when it is opened again, and what a loss means. */
export function indexSessionContract(start: () => Promise<IndexUnderTest>): void {
  describe("since when a stream is served", () => {
    const since = { as: "a", sinceSeconds: 1700, isRestored: false };

    test("is not known before it was told, and then is what was told last, of each stream", async () => {
      await using bed = await start();
      expect(await bed.index.served("Deployment")).toBeUndefined();
      await bed.index.serve("Deployment", since);
      await bed.index.serve("Deployment in ns", { ...since, isRestored: true });
      expect(await bed.index.served("Deployment")).toEqual(since);
      expect(await bed.index.served("Deployment in ns")).toEqual({ ...since, isRestored: true });
      expect(await bed.index.served("StatefulSet")).toBeUndefined();
      await bed.index.serve("Deployment", { ...since, as: "b" });
      expect(await bed.index.served("Deployment")).toEqual({ ...since, as: "b" });
    });

    test("is remembered when the index is opened again, and forgotten with the rest", async () => {
      await using bed = await start();
      await bed.index.serve("Deployment", since);
      await bed.index.open();
      expect(await bed.index.served("Deployment")).toEqual(since);
      await bed.lose();
      await expect(bed.index.served("Deployment")).rejects.toMatchObject({ code: "redis.state-lost" });
      await bed.index.open();
      expect(await bed.index.served("Deployment")).toBeUndefined();
    });
  });

  describe("an index that is lost", () => {
    const isLost: Partial<Fault> = { code: "redis.state-lost" };

    test("answers nothing from what is left: every call says so", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      await bed.lose();
      await expect(bed.index.verify()).rejects.toMatchObject(isLost);
      await expect(bed.index.put([entryOf("api")])).rejects.toMatchObject(isLost);
      await expect(bed.index.findChanged([versionOf("app")])).rejects.toMatchObject(isLost);
      await expect(bed.index.markHandled([versionOf("app")])).rejects.toMatchObject(isLost);
      await expect(bed.index.markPublished([workloadNamed("api")])).rejects.toMatchObject(isLost);
      await expect(bed.index.remove([workloadNamed("api")])).rejects.toMatchObject(isLost);
      await expect(bed.index.keys("Deployment", undefined)).rejects.toMatchObject(isLost);
      await expect(bed.index.expect([versionOf("app").ref])).rejects.toMatchObject(isLost);
      await expect(bed.index.handledSources("ConfigMap", undefined)).rejects.toMatchObject(isLost);
    });

    test("begins empty when it is opened again", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      await bed.index.markHandled([versionOf("app")]);
      await bed.lose();
      await bed.index.open();
      expect(await bed.index.findChanged([versionOf("app")])).toEqual([]);
      expect(namesOf(await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]))).toEqual([
        "api",
      ]);
      expect(await dependentsOf(bed.index, versionOf("app"))).toEqual([["app", ["api"]]]);
    });

    test("is engaged since it was opened first, as long as it is not lost", async () => {
      await using bed = await start();
      const first = await bed.index.open();
      expect(await bed.index.open()).toEqual(first);
      expect(first.engagedAtSeconds).toBeGreaterThan(1_700_000_000);
    });
  });
}
