import type { SourceKind } from "@fleet-reloader/domain/source/source";
import { goneVersion } from "@fleet-reloader/engine/ports/reference-index";
import { describe, expect, test } from "vitest";
import { dependentsOf, entryOf, type IndexUnderTest, versionOf, workloadNamed } from "./index-under-test.ts";

/** What every reference index promises of sources: which workloads a version of one leads to. */
export function indexSourcesContract(start: () => Promise<IndexUnderTest>): void {
  describe("a source", () => {
    test("asks for those that use it while its version is not the one handled", async () => {
      await using bed = await start();
      await bed.index.put([
        entryOf("api", { sources: ["ConfigMap/ns/app"] }),
        entryOf("web", { sources: ["ConfigMap/ns/app", "Secret/ns/app"] }),
      ]);
      expect(await dependentsOf(bed.index, versionOf("app"), versionOf("unused"))).toEqual([
        ["app", ["api", "web"]],
      ]);
      await bed.index.markHandled([versionOf("app")]);
      expect(await dependentsOf(bed.index, versionOf("app"))).toEqual([]);
      // A kind of its own, and a history that went back.
      expect(await dependentsOf(bed.index, versionOf("app", "1", "Secret"))).toEqual([["app", ["web"]]]);
      expect(await dependentsOf(bed.index, versionOf("app", "0"))).toEqual([["app", ["api", "web"]]]);
    });

    test("that was deleted counts as new, whatever version it comes back with", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app", "Secret/ns/app"] })]);
      await bed.index.markHandled([versionOf("app"), versionOf("app", "1", "Secret")]);
      await bed.index.forget([versionOf("app").ref]);
      expect(await dependentsOf(bed.index, versionOf("app"), versionOf("app", "1", "Secret"))).toEqual([
        ["app", ["api"]],
      ]);
    });

    test("that is gone leads to those that use it, whether it was handled or not", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      expect(await dependentsOf(bed.index, versionOf("app", goneVersion))).toEqual([["app", ["api"]]]);
      await bed.index.markHandled([versionOf("app")]);
      expect(await dependentsOf(bed.index, versionOf("app", goneVersion))).toEqual([["app", ["api"]]]);
      await bed.index.forget([versionOf("app").ref]);
      expect(await dependentsOf(bed.index, versionOf("app", goneVersion))).toEqual([["app", ["api"]]]);
    });

    test("has a checkpoint once it was handled or is expected, until it is forgotten", async () => {
      await using bed = await start();
      const handled = async (namespace?: string, kind: SourceKind = "ConfigMap") =>
        (await bed.index.handledSources(kind, namespace)).map((ref) => `${ref.namespace}/${ref.name}`).sort();
      const elsewhere = { kind: "ConfigMap", namespace: "ns2", name: "app" } as const;
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      expect(await handled()).toEqual([]);
      await bed.index.markHandled([versionOf("app"), versionOf("tls", "1", "Secret")]);
      await bed.index.expect([versionOf("app").ref, versionOf("late").ref, elsewhere]);
      expect(await handled()).toEqual(["ns/app", "ns/late", "ns2/app"]);
      expect(await handled("ns")).toEqual(["ns/app", "ns/late"]);
      expect(await handled("ns", "Secret")).toEqual(["ns/tls"]);
      // What is expected is no version: that of what was handled stays.
      expect(await dependentsOf(bed.index, versionOf("app"))).toEqual([]);
      await bed.index.forget([versionOf("late").ref, elsewhere]);
      expect(await handled()).toEqual(["ns/app"]);
    });

    test("that is expected asks for those that use it in whatever version it comes", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      await bed.index.expect([versionOf("app").ref]);
      expect(await dependentsOf(bed.index, versionOf("app"))).toEqual([["app", ["api"]]]);
    });

    test("is matched against the name patterns of its kind in its namespace", async () => {
      await using bed = await start();
      const pattern = { kind: "ConfigMap", item: "tenant-[0-9]+" } as const;
      const elsewhere = {
        ...entryOf("", { patterns: [pattern] }),
        workload: workloadNamed("x", "Deployment", "ns2"),
      };
      await bed.index.put([entryOf("api", { patterns: [pattern] }), elsewhere]);
      const sources = [versionOf("tenant-1"), versionOf("tenant-x"), versionOf("tenant-1", "1", "Secret")];
      expect(await dependentsOf(bed.index, ...sources)).toEqual([["tenant-1", ["api"]]]);
      await bed.index.markHandled(sources);
      expect(await dependentsOf(bed.index, ...sources)).toEqual([]);
    });

    test("yields a workload that names and matches it once, with the workload's window", async () => {
      await using bed = await start();
      const window = { quietPeriodMs: 5000, maxWaitMs: 60_000 };
      const patterns = [{ kind: "ConfigMap", item: "app.*" }] as const;
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"], patterns, window })]);
      expect(await bed.index.findChanged([versionOf("app")])).toEqual([
        { source: versionOf("app"), isFirst: true, dependents: [{ workload: workloadNamed("api"), window }] },
      ]);
    });

    test.each(["123", "a.b", "a-b", "constructor", "a".repeat(253)])(
      "may be called %s, like its workload",
      async (name) => {
        await using bed = await start();
        await bed.index.put([entryOf(name, { sources: [`ConfigMap/ns/${name}`] }), entryOf("other")]);
        expect(await dependentsOf(bed.index, versionOf(name))).toEqual([[name, [name]]]);
        await bed.index.markHandled([versionOf(name)]);
        expect(await dependentsOf(bed.index, versionOf(name))).toEqual([]);
      },
    );
  });
}
