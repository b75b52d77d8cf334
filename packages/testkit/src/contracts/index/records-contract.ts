import { describe, expect, test } from "vitest";
import { until } from "../../until.ts";
import { entryOf, type IndexUnderTest, requestOf, workloadNamed } from "./index-under-test.ts";

const pattern = { kind: "ConfigMap", item: "app.[0-9]+" } as const;
/** As the watch writes it where a source is optional: the generation comes first. */
const first = "[1,[],[],[]]";

/** What every reference index promises together with the records of workloads beside it. */
export function indexRecordsContract(start: () => Promise<IndexUnderTest>): void {
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

    // A source of it may have changed since: by a later event that would look as if it had been so from the beginning.
    test.each([
      ["another generation", { scope: "[2,[],[],[]]" }],
      ["another window", { window: { quietPeriodMs: 7 } }],
      ["other keys", { scope: '[1,[["ConfigMap/ns/app",["a"]]],[],[]]' }],
      ["one source more", { sources: ["ConfigMap/ns/app", "ConfigMap/ns/late"] }],
      ["one source and one pattern less", { sources: ["ConfigMap/ns/app"], patterns: [] }],
      ["no source, and the pattern", { sources: [] }],
    ])("stays while nobody has looked and something is still asked for: %s", async (_, edit) => {
      await using bed = await start();
      const both = { sources: ["ConfigMap/ns/app", "Secret/ns/tls"], patterns: [pattern], scope: first };
      await bed.index.put([entryOf("api", { ...both, seen: at(1) })]);
      for (const later of [{ seen: at(2) }, {}]) {
        await bed.index.put([entryOf("api", { ...both, ...edit, ...later })]);
        expect(await seenOf(bed)).toEqual(at(1));
        await bed.index.put([entryOf("api", { ...both, ...later })]);
        expect(await seenOf(bed)).toEqual(at(1));
      }
    });

    test("is the later one for another object, or where nothing in common is asked for", async () => {
      await using bed = await start();
      const app = { sources: ["ConfigMap/ns/app"], patterns: [pattern] };
      await bed.index.put([entryOf("api", { ...app, seen: at(1) })]);
      const other = { uid: "uid-2", resourceVersion: "2", atSeconds: 2 };
      await bed.index.put([entryOf("api", { ...app, scope: first, seen: other })]);
      expect(await seenOf(bed)).toEqual(other);
      const later = { uid: "uid-2", resourceVersion: "3", atSeconds: 3 };
      const others = { sources: ["Secret/ns/app"], patterns: [{ kind: "Secret", item: "app.*" }] } as const;
      await bed.index.put([entryOf("api", { ...others, seen: later })]);
      expect(await seenOf(bed)).toEqual(later);
    });

    // What was recorded of it counts, or nobody watched its interest begin.
    test("is not stored where none was and only the generation or the window moves", async () => {
      await using bed = await start();
      const app = { sources: ["ConfigMap/ns/app"], patterns: [pattern] };
      await bed.index.put([entryOf("api", { ...app, scope: first })]);
      await bed.index.put([entryOf("api", { ...app, scope: "[12,[],[],[]]", seen: at(2) })]);
      await bed.index.put([entryOf("api", { ...app, scope: first, window: { maxWaitMs: 7 }, seen: at(3) })]);
      expect(await seenOf(bed)).toBeUndefined();
      const keys = '[1,[["ConfigMap/ns/app",["a"]]],[],[]]';
      await bed.index.put([entryOf("api", { ...app, scope: keys, seen: at(4) })]);
      expect(await seenOf(bed)).toEqual(at(4));
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

    test("stays while a roll of it is held; since when is known until it is rolled", async () => {
      await using bed = await start();
      await bed.index.put([entryOf("api", { seen: at(1) })]);
      const heldSince = async () => (await bed.records.read(requestOf(bed, "api"))).heldSinceSeconds;
      bed.records.held(requestOf(bed, "api"), 1700);
      await until("the hold is known", async () => (await heldSince()) === 1700);
      expect(await seenOf(bed)).toEqual(at(1));
      bed.records.applied(requestOf(bed, "api"), "the note", observed);
      await until("it is forgotten", async () => (await heldSince()) === undefined);
      bed.records.held(requestOf(bed, "api"), 1800);
      await until("the hold is known", async () => (await heldSince()) === 1800);
      bed.records.held(requestOf(bed, "api"), undefined);
      await until("it is forgotten", async () => (await heldSince()) === undefined);
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
      const forgotten = { appliedText: undefined, heldSinceSeconds: undefined, seen: undefined };
      const remove = () => bed.index.remove([workloadNamed("api")]);
      const retain = () => bed.index.retain("Deployment", "ns", new Set());
      for (const go of [remove, retain]) {
        await bed.index.put([entryOf("api")]);
        bed.records.applied(requestOf(bed, "api"), "the note", observed);
        await until("it is noted", async () => (await bed.records.read(requestOf(bed, "api"))).appliedText);
        await bed.index.put([entryOf("api", { scope: "[1]", seen: at(1) })]);
        bed.records.held(requestOf(bed, "api"), 1700);
        await until("the hold is known", async () => {
          return (await bed.records.read(requestOf(bed, "api"))).heldSinceSeconds === 1700;
        });
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
}
