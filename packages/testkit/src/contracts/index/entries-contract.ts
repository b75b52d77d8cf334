import { workloadKey } from "@fleet-reloader/domain/workload/workload";
import { describe, expect, test } from "vitest";
import {
  dependentsOf,
  entryOf,
  type IndexUnderTest,
  namesOf,
  versionOf,
  workloadNamed,
} from "./index-under-test.ts";

/** What every reference index promises of entries: which are new or different, and what a list leaves. */
export function indexEntriesContract(start: () => Promise<IndexUnderTest>): void {
  describe("an entry", () => {
    test("is different when it is new or its content changes, not when its order changes", async () => {
      await using bed = await start();
      const [a, b] = [entryOf("api", { sources: ["ConfigMap/ns/a", "Secret/ns/b"] }), entryOf("web")];
      expect(namesOf(await bed.index.put([a, b]))).toEqual(["api", "web"]);
      await bed.index.markPublished([a.workload, b.workload]);
      const reordered = entryOf("api", { sources: ["Secret/ns/b", "ConfigMap/ns/a"] });
      expect(await bed.index.put([reordered, b])).toEqual([]);
      for (const changed of [
        entryOf("api", { sources: ["ConfigMap/ns/a"] }),
        entryOf("api", { patterns: [{ kind: "ConfigMap", item: "a.*" }] }),
        entryOf("api", { scope: "[1]" }),
        entryOf("api", { window: { quietPeriodMs: 0 } }),
        entryOf("api", { window: { maxWaitMs: 0 } }),
      ]) {
        expect(namesOf(await bed.index.put([changed, b]))).toEqual(["api"]);
        await bed.index.markPublished([changed.workload]);
      }
    });

    // A crash between the two means the same again, never nothing.
    test("stays different until what it asks for was published", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api"), entryOf("web")]);
      await bed.index.markPublished([workloadNamed("web")]);
      expect(namesOf(await bed.index.put([entryOf("api"), entryOf("web")]))).toEqual(["api"]);
    });

    test("that was removed is new when it comes back", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      await bed.index.markPublished([workloadNamed("api")]);
      await bed.index.remove([workloadNamed("api"), workloadNamed("never-there")]);
      expect(await dependentsOf(bed.index, versionOf("app"))).toEqual([]);
      expect(namesOf(await bed.index.put([entryOf("api")]))).toEqual(["api"]);
    });

    test("that changes leaves nothing behind of what it used", async () => {
      await using bed = await start();
      const pattern = { kind: "ConfigMap", item: "old-.*" } as const;
      const window = { quietPeriodMs: 7 };
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/old"], patterns: [pattern], window })]);
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/new"] })]);
      expect(await dependentsOf(bed.index, versionOf("old"), versionOf("old-1"))).toEqual([]);
      const [found] = await bed.index.findChanged([versionOf("new")]);
      expect(found?.dependents).toEqual([{ workload: workloadNamed("api"), window: {} }]);
    });
  });

  describe("a complete list", () => {
    test("leaves of its kind and namespace only what was in it", async () => {
      await using bed = await start();
      const source = { sources: ["ConfigMap/ns/app"] };
      const all = [
        entryOf("api", source),
        entryOf("old", source),
        { ...entryOf("", source), workload: workloadNamed("set", "StatefulSet") },
        {
          ...entryOf("", { sources: ["ConfigMap/ns2/app"] }),
          workload: workloadNamed("other", "Deployment", "ns2"),
        },
      ];
      await bed.index.put(all);
      await bed.index.retain("Deployment", "ns", new Set(["Deployment/ns/api"]));
      const inNs2 = {
        ref: { kind: "ConfigMap", namespace: "ns2", name: "app" },
        resourceVersion: "1",
      } as const;
      const left = async () =>
        (await dependentsOf(bed.index, versionOf("app"), inNs2)).map(([, workloads]) => workloads);
      expect(await left()).toEqual([["api", "set"], ["other"]]);
      await bed.index.retain("Deployment", undefined, new Set(["Deployment/ns/api"]));
      expect(await left()).toEqual([["api", "set"]]);
      await bed.index.retain("Deployment", undefined, new Set());
      expect(await left()).toEqual([["set"]]);
    });
  });

  test("names the workloads of one kind, in all namespaces or in one", async () => {
    await using bed = await start();
    const refs = [
      workloadNamed("api"),
      workloadNamed("old"),
      workloadNamed("api", "Deployment", "ns2"),
      workloadNamed("set", "StatefulSet"),
    ];
    await bed.index.put(refs.map((workload) => ({ ...entryOf(""), workload })));
    await bed.index.remove([workloadNamed("old")]);
    expect(await bed.index.keys("Deployment", "ns")).toEqual(new Set(["Deployment/ns/api"]));
    const everywhere = new Set(["Deployment/ns/api", "Deployment/ns2/api"]);
    expect(await bed.index.keys("Deployment", undefined)).toEqual(everywhere);
    expect(await bed.index.keys("Job", undefined)).toEqual(new Set());
  });

  test("leaves of all workloads only those that are served", async () => {
    await using bed = await start();
    const served = workloadNamed("api");
    const inNs2 = workloadNamed("other", "Deployment", "ns2");
    const ofKind = workloadNamed("set", "StatefulSet");
    const source = { sources: ["ConfigMap/ns/app"] };
    const entries = [served, inNs2, ofKind].map((workload) => ({ ...entryOf("", source), workload }));
    await bed.index.put(entries);
    const shown: string[] = [];
    await bed.index.retainServed((workload) => {
      shown.push(workloadKey(workload));
      return workload.kind === "Deployment" && workload.namespace === "ns";
    });
    expect(shown.sort()).toEqual(["Deployment/ns/api", "Deployment/ns2/other", "StatefulSet/ns/set"]);
    expect(await dependentsOf(bed.index, versionOf("app"))).toEqual([["app", ["api"]]]);
  });
}
