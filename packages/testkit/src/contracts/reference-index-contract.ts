import type { Fault } from "@fleet-reloader/domain/fault";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import {
  type Checkpoints,
  goneVersion,
  type IndexEntry,
  type IndexSession,
  type ReferenceIndex,
  type SourceVersion,
} from "@fleet-reloader/engine/ports/reference-index";
import type { ClusterId, Request } from "@fleet-reloader/engine/ports/request";
import type { WorkloadRecords } from "@fleet-reloader/engine/ports/workload-records";
import { describe, expect, test } from "vitest";
import { until } from "../until.ts";

export interface IndexUnderTest extends AsyncDisposable {
  readonly index: ReferenceIndex & Checkpoints & IndexSession;
  /** What workers remember of workloads, in the same memory; the index is that of `cluster`. */
  readonly cluster: ClusterId;
  readonly records: WorkloadRecords;
  /** All that was stored is gone. */
  readonly lose: () => Promise<void>;
}

/** The same for whoever asks for many. */
export const namesForTest = {
  of: async (items: readonly string[], names: Iterable<string>) =>
    new Map(
      [...names].flatMap((name): [string, readonly string[]][] => {
        const matching = items.filter((item) => matchesForTest(item, name));
        return matching.length === 0 ? [] : [[name, matching]];
      }),
    ),
};

/** An item matches a name as an expression between `^` and `$` does. */
export function matchesForTest(item: string, name: string): boolean {
  return new RegExp(`^${item}$`).test(name);
}

export function workloadNamed(name: string, kind = "Deployment", namespace = "ns"): WorkloadRef {
  return { kind, namespace, name };
}

export function entryOf(name: string, entry: Partial<Omit<IndexEntry, "workload">> = {}): IndexEntry {
  return { workload: workloadNamed(name), sources: [], patterns: [], scope: "", window: {}, ...entry };
}

function requestOf({ cluster }: IndexUnderTest, name: string): Request {
  return { cluster, workload: workloadNamed(name) };
}

export function versionOf(
  name: string,
  resourceVersion = "1",
  kind: SourceKind = "ConfigMap",
): SourceVersion {
  return { ref: { kind, namespace: "ns", name }, resourceVersion };
}

/** What every reference index promises. `start` opens a fresh one. */
export function referenceIndexContract(start: () => Promise<IndexUnderTest>): void {
  const names = (entries: readonly IndexEntry[]) => entries.map((entry) => entry.workload.name);
  const asked = async (index: ReferenceIndex, ...sources: readonly SourceVersion[]) =>
    (await index.findChanged(sources)).map(({ source, dependents }) => [
      source.ref.name,
      dependents.map(({ workload }) => workload.name).sort(),
    ]);

  describe("an entry", () => {
    test("is different when it is new or its content changes, not when its order changes", async () => {
      await using bed = await start();
      const [a, b] = [entryOf("api", { sources: ["ConfigMap/ns/a", "Secret/ns/b"] }), entryOf("web")];
      expect(names(await bed.index.put([a, b]))).toEqual(["api", "web"]);
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
        expect(names(await bed.index.put([changed, b]))).toEqual(["api"]);
        await bed.index.markPublished([changed.workload]);
      }
    });

    // A crash between the two means the same again, never nothing.
    test("stays different until what it asks for was published", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api"), entryOf("web")]);
      await bed.index.markPublished([workloadNamed("web")]);
      expect(names(await bed.index.put([entryOf("api"), entryOf("web")]))).toEqual(["api"]);
    });

    test("that was removed is new when it comes back", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      await bed.index.markPublished([workloadNamed("api")]);
      await bed.index.remove([workloadNamed("api"), workloadNamed("never-there")]);
      expect(await asked(bed.index, versionOf("app"))).toEqual([]);
      expect(names(await bed.index.put([entryOf("api")]))).toEqual(["api"]);
    });

    test("that changes leaves nothing behind of what it used", async () => {
      await using bed = await start();
      const pattern = { kind: "ConfigMap", item: "old-.*" } as const;
      const window = { quietPeriodMs: 7 };
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/old"], patterns: [pattern], window })]);
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/new"] })]);
      expect(await asked(bed.index, versionOf("old"), versionOf("old-1"))).toEqual([]);
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
        (await asked(bed.index, versionOf("app"), inNs2)).map(([, workloads]) => workloads);
      expect(await left()).toEqual([["api", "set"], ["other"]]);
      await bed.index.retain("Deployment", undefined, new Set(["Deployment/ns/api"]));
      expect(await left()).toEqual([["api", "set"]]);
      await bed.index.retain("Deployment", undefined, new Set());
      expect(await left()).toEqual([["set"]]);
    });
  });

  describe("a source", () => {
    test("asks for those that use it while its version is not the one handled", async () => {
      await using bed = await start();
      await bed.index.put([
        entryOf("api", { sources: ["ConfigMap/ns/app"] }),
        entryOf("web", { sources: ["ConfigMap/ns/app", "Secret/ns/app"] }),
      ]);
      expect(await asked(bed.index, versionOf("app"), versionOf("unused"))).toEqual([
        ["app", ["api", "web"]],
      ]);
      await bed.index.markHandled([versionOf("app")]);
      expect(await asked(bed.index, versionOf("app"))).toEqual([]);
      // A kind of its own, and a history that went back.
      expect(await asked(bed.index, versionOf("app", "1", "Secret"))).toEqual([["app", ["web"]]]);
      expect(await asked(bed.index, versionOf("app", "0"))).toEqual([["app", ["api", "web"]]]);
    });

    test("that was deleted counts as new, whatever version it comes back with", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app", "Secret/ns/app"] })]);
      await bed.index.markHandled([versionOf("app"), versionOf("app", "1", "Secret")]);
      await bed.index.forget([versionOf("app").ref]);
      expect(await asked(bed.index, versionOf("app"), versionOf("app", "1", "Secret"))).toEqual([
        ["app", ["api"]],
      ]);
    });

    test("that is gone leads to those that use it, whether it was handled or not", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      expect(await asked(bed.index, versionOf("app", goneVersion))).toEqual([["app", ["api"]]]);
      await bed.index.markHandled([versionOf("app")]);
      expect(await asked(bed.index, versionOf("app", goneVersion))).toEqual([["app", ["api"]]]);
      await bed.index.forget([versionOf("app").ref]);
      expect(await asked(bed.index, versionOf("app", goneVersion))).toEqual([["app", ["api"]]]);
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
      expect(await asked(bed.index, versionOf("app"))).toEqual([]);
      await bed.index.forget([versionOf("late").ref, elsewhere]);
      expect(await handled()).toEqual(["ns/app"]);
    });

    test("that is expected asks for those that use it in whatever version it comes", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]);
      await bed.index.expect([versionOf("app").ref]);
      expect(await asked(bed.index, versionOf("app"))).toEqual([["app", ["api"]]]);
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
      expect(await asked(bed.index, ...sources)).toEqual([["tenant-1", ["api"]]]);
      await bed.index.markHandled(sources);
      expect(await asked(bed.index, ...sources)).toEqual([]);
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
        expect(await asked(bed.index, versionOf(name))).toEqual([[name, [name]]]);
        await bed.index.markHandled([versionOf(name)]);
        expect(await asked(bed.index, versionOf(name))).toEqual([]);
      },
    );
  });

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

  describe("the event that shows an entry", () => {
    const at = (atSeconds: number) => ({ uid: "uid-1", resourceVersion: String(atSeconds), atSeconds });
    const observed = { resourceVersion: "200", appliedAtSeconds: 5 };
    const seenOf = async (bed: IndexUnderTest) => (await bed.records.read(requestOf(bed, "api"))).seen;

    test("is kept where the entry is new or different, and nowhere else", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { seen: at(1) })]);
      expect(await seenOf(bed)).toEqual(at(1));
      await bed.index.put([entryOf("api", { seen: at(2) })]);
      await bed.index.put([entryOf("api")]);
      expect(await seenOf(bed)).toEqual(at(1));
      await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"], seen: at(3) })]);
      expect(await seenOf(bed)).toEqual(at(3));
    });

    test("is of another interest, and forgotten, where a different entry comes without one", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { seen: at(1) })]);
      await bed.index.put([entryOf("api", { scope: "[1]" })]);
      expect(await seenOf(bed)).toBeUndefined();
    });

    test("does not make the entry a different one", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { seen: at(1) })]);
      await bed.index.markPublished([workloadNamed("api")]);
      expect(await bed.index.put([entryOf("api", { seen: at(2) })])).toEqual([]);
    });

    test("stays when the workload is only looked at, and goes when it is noted", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { seen: at(1) }), entryOf("web", { seen: at(1) })]);
      bed.records.reconciled(requestOf(bed, "api"));
      await until("it was looked at", async () => (await bed.index.unreconciled()) === 1);
      expect(await seenOf(bed)).toEqual(at(1));
      bed.records.applied(requestOf(bed, "api"), "the note", observed);
      await until("it is noted", async () => (await seenOf(bed)) === undefined);
      expect((await bed.records.read(requestOf(bed, "api"))).appliedText).toBe("the note");
      expect((await bed.records.read(requestOf(bed, "web"))).seen).toEqual(at(1));
      await bed.index.put([entryOf("api", { seen: at(2) })]);
      expect(await seenOf(bed)).toBeUndefined();
    });

    // A worker tells of its look late: the watcher has shown a newer interest since, which nobody has looked at.
    test("stays when an older look is noted", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { seen: at(1000) })]);
      bed.records.applied(requestOf(bed, "api"), "the note", { resourceVersion: "999", appliedAtSeconds: 5 });
      await until("it is noted", async () => (await bed.records.read(requestOf(bed, "api"))).appliedText);
      expect([await seenOf(bed), await bed.index.unreconciled()]).toEqual([at(1000), 1]);
      bed.records.applied(requestOf(bed, "api"), "the note", {
        resourceVersion: "1000",
        appliedAtSeconds: 5,
      });
      await until("its event is gone", async () => (await seenOf(bed)) === undefined);
    });

    test("goes with its workload, and so does the note", async () => {
      await using bed = await start();
      const forgotten = { appliedText: undefined, seen: undefined };
      const remove = () => bed.index.remove([workloadNamed("api")]);
      const retain = () => bed.index.retain("Deployment", "ns", new Set());
      for (const go of [remove, retain]) {
        await bed.index.put([entryOf("api")]);
        bed.records.applied(requestOf(bed, "api"), "the note", observed);
        await until("it is noted", async () => (await bed.records.read(requestOf(bed, "api"))).appliedText);
        await bed.index.put([entryOf("api", { scope: "[1]", seen: at(1) })]);
        expect(await bed.records.read(requestOf(bed, "api"))).toMatchObject({
          appliedText: "the note",
          seen: at(1),
        });
        await go();
        expect(await bed.records.read(requestOf(bed, "api"))).toMatchObject(forgotten);
      }
    });
  });

  describe("what has not been looked at", () => {
    test("is each entry that is new or different, once, whether published or not", async () => {
      await using bed = await start();
      expect(await bed.index.unreconciled()).toBe(0);
      await bed.index.put([entryOf("api"), entryOf("web")]);
      await bed.index.put([entryOf("api", { scope: "[1]" })]);
      await bed.index.markPublished([workloadNamed("api"), workloadNamed("web")]);
      expect(await bed.index.unreconciled()).toBe(2);
    });

    test("is less by each that was looked at or noted, until its entry is another", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api"), entryOf("web"), entryOf("job")]);
      bed.records.reconciled(requestOf(bed, "api"));
      bed.records.applied(requestOf(bed, "web"), "the note", { resourceVersion: "200", appliedAtSeconds: 5 });
      bed.records.applied(requestOf(bed, "job"), undefined, { resourceVersion: "200", appliedAtSeconds: 5 });
      await until("all were looked at", async () => (await bed.index.unreconciled()) === 0);
      await bed.index.put([entryOf("api"), entryOf("web")]);
      expect(await bed.index.unreconciled()).toBe(0);
      await bed.index.put([entryOf("api", { scope: "[1]" }), entryOf("web")]);
      expect(await bed.index.unreconciled()).toBe(1);
    });

    test("is less by each workload that goes", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api"), entryOf("web"), entryOf("job")]);
      await bed.index.remove([workloadNamed("api")]);
      expect(await bed.index.unreconciled()).toBe(2);
      await bed.index.retain("Deployment", "ns", new Set(["Deployment/ns/job"]));
      expect(await bed.index.unreconciled()).toBe(1);
    });
  });

  test("a page of a thousand is no more than a page", async () => {
    await using bed = await start();
    const all = Array.from({ length: 1000 }, (_, at) =>
      entryOf(`w${at}`, { sources: [`ConfigMap/ns/s${at}`] }),
    );
    expect(await bed.index.put(all)).toHaveLength(1000);
    const sources = all.map((_, at) => versionOf(`s${at}`));
    const changed = await bed.index.findChanged(sources);
    expect(changed).toHaveLength(1000);
    await bed.index.markHandled(sources);
    expect(await bed.index.findChanged(sources)).toEqual([]);
  });

  test("nothing to do is done", async () => {
    await using bed = await start();
    expect(await bed.index.put([])).toEqual([]);
    expect(await bed.index.findChanged([])).toEqual([]);
    await bed.index.markPublished([]);
    await bed.index.markHandled([]);
    await bed.index.remove([]);
    await bed.index.forget([]);
    await bed.index.expect([]);
    await bed.index.verify();
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
      expect(names(await bed.index.put([entryOf("api", { sources: ["ConfigMap/ns/app"] })]))).toEqual([
        "api",
      ]);
      expect(await asked(bed.index, versionOf("app"))).toEqual([["app", ["api"]]]);
    });

    test("is engaged since it was opened first, as long as it is not lost", async () => {
      await using bed = await start();
      const first = await bed.index.open();
      expect(await bed.index.open()).toEqual(first);
      expect(first.engagedAtSeconds).toBeGreaterThan(1_700_000_000);
    });
  });
}
