import { whileInTime } from "@fleet-reloader/testkit/in-time";
import { until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { at as field, laterThanTogether, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { adopted, makeEstate, notesOf, type Owned, redisFates, settleAt, withoutNotes } from "./estate.ts";
import { launcher } from "./launch.ts";

/** A change and the loss of a note in one moment: both in the quiet period that begins with the change. */
const oneMomentMs = 4000;
const longQuiet = ["--debounce", "8s"];
const longQuietMs = 10_000;

/** How long no roll may come of a note that somebody wrote: it is looked at without a quiet period. */
const unmovedMs = 4000;

/** Somebody else takes our notes away, or puts older ones in their place. */
export function noteTests(world: () => World): void {
  const start = launcher(world);

  /** Workloads with a ConfigMap of their own, and what is done to both in one moment. */
  async function changedAndReplaced(at: Site): Promise<Upheaval> {
    for (const name of ["before", "after"]) await at.configMap(name, { v: "A" });
    const before = await makeEstate(at, "before", "before");
    const after = await makeEstate(at, "after", "after");
    return {
      owned: [...before, ...after],
      happen: async () => {
        await at.change("ConfigMap", "before", { v: "B" });
        await Promise.all([...before, ...after].map((one) => replaceWithoutNote(at, one)));
        await at.change("ConfigMap", "after", { v: "B" });
      },
    };
  }

  test("a change just before or just after the note was taken away rolls once", async () => {
    await whileInTime(oneMomentMs, async (inTime) => {
      const at = await Site.make(world().client, "replaced");
      const { owned, happen } = await changedAndReplaced(at);
      await using product = start(at, { args: longQuiet });
      await product.ready();
      await adopted(at, owned);
      await laterThanTogether();
      inTime();
      await happen();
      inTime();
      await settleAt(at, owned, 1, { quietMs: longQuietMs });
    });
  });

  describe.each(redisFates)("%s", (_, afterwards) => {
    test("a change and the loss of the note, both while the process was down, roll once", async () => {
      const at = await Site.make(world().client, "replaced-down");
      await at.configMap("known", { v: "A" });
      const known = await makeEstate(at, "known", "known");
      const { owned, happen } = await changedAndReplaced(at);
      await using first = start(at);
      await first.ready();
      await adopted(at, [...owned, ...known]);
      await first.stop();
      await laterThanTogether();
      await happen();
      afterwards(first.dataDir);
      await using again = start(at, { dataDir: first.dataDir });
      await again.ready();
      await settleAt(at, owned, 1);
      await settleAt(at, known, 0);
    });
  });

  /** Has everybody who reads the ConfigMap looked at. By its time of writing the content is as old as it was. */
  async function touch(at: Site): Promise<void> {
    const path = `${at.path("ConfigMap", "settings")}?fieldManager=labels`;
    const labels = { metadata: { labels: { touched: "1" } } };
    const { status } = await world().client.send("PATCH", path, labels, "application/merge-patch+json");
    expect(status).toBe(200);
  }

  /** Workloads that were adopted with A and rolled for B, as they were in between. */
  async function rolledOnce(at: Site): Promise<Past> {
    await at.configMap("settings", { v: "A" });
    const owned = await makeEstate(at, "api");
    return {
      owned,
      roll: async () => {
        await adopted(at, owned);
        const exported = await Promise.all(owned.map(([kind, name]) => at.object(kind, name)));
        await laterThanTogether();
        await at.change("ConfigMap", "settings", { v: "B" });
        await settleAt(at, owned, 1);
        return exported;
      },
    };
  }

  describe("while the process works", () => {
    test("an old note that is applied again rolls nothing", async () => {
      const at = await Site.make(world().client, "old-note");
      const { owned, roll } = await rolledOnce(at);
      await using product = start(at);
      await product.ready();
      const exported = await roll();
      await applyNotes(at, owned, exported);
      await touch(at);
      await settleAt(at, owned, 1, { quietMs: unmovedMs });
    });

    test("workloads recreated from an export roll for nothing, and once for a change", async () => {
      const at = await Site.make(world().client, "anew");
      const { owned, roll } = await rolledOnce(at);
      await using product = start(at);
      await product.ready();
      const exported = await roll();
      await makeAnew(at, owned, exported);
      await touch(at);
      await settleAt(at, owned, 0, { quietMs: unmovedMs });
      await laterThanTogether();
      await at.change("ConfigMap", "settings", { v: "C" });
      await settleAt(at, owned, 1);
    });
  });

  describe.each(redisFates)("while the process is down, %s", (_, afterwards) => {
    test("an old note that is applied again rolls nothing", async () => {
      const at = await Site.make(world().client, "old-note-down");
      const { owned, roll } = await rolledOnce(at);
      await using first = start(at);
      await first.ready();
      const exported = await roll();
      await first.stop();
      await applyNotes(at, owned, exported);
      afterwards(first.dataDir);
      await using again = start(at, { dataDir: first.dataDir });
      await again.ready();
      await touch(at);
      await settleAt(at, owned, 1, { quietMs: unmovedMs });
    });

    test("workloads recreated from an export roll for nothing, and once for a change", async () => {
      const at = await Site.make(world().client, "anew-down");
      const { owned, roll } = await rolledOnce(at);
      await using first = start(at);
      await first.ready();
      const exported = await roll();
      await first.stop();
      await makeAnew(at, owned, exported);
      afterwards(first.dataDir);
      await using again = start(at, { dataDir: first.dataDir });
      await again.ready();
      await touch(at);
      await settleAt(at, owned, 0, { quietMs: unmovedMs });
      await at.change("ConfigMap", "settings", { v: "C" });
      await settleAt(at, owned, 1);
    });
  });
}

interface Upheaval {
  readonly owned: readonly Owned[];
  readonly happen: () => Promise<void>;
}

interface Past {
  readonly owned: readonly Owned[];
  /** Resolves to the workloads before they rolled, in the same order. */
  readonly roll: () => Promise<readonly unknown[]>;
}

/** What `kubectl replace` does with a manifest that knows nothing of our note. */
async function replaceWithoutNote(at: Site, [kind, name]: Owned): Promise<void> {
  const live = await at.object(kind, name);
  await at.replace(kind, name, { metadata: manifestMetadata(live, withoutNotes(live)), spec: specOf(live) });
}

async function applyNotes(at: Site, owned: readonly Owned[], exported: readonly unknown[]): Promise<void> {
  await Promise.all(
    owned.map(([kind, name], i) => at.patch(kind, name, { metadata: { annotations: notesOf(exported[i]) } })),
  );
}

/** Deletes all of them, and makes them again as they were exported, their notes included. */
async function makeAnew(at: Site, owned: readonly Owned[], exported: readonly unknown[]): Promise<void> {
  await Promise.all(owned.map(([kind, name]) => at.remove(kind, name)));
  for (const kind of ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ControllerRevision"] as const)
    await until(`no ${kind} is left`, async () => (await at.all(kind)).includes('"items":[]'));
  await laterThanTogether();
  await Promise.all(
    owned.map(([kind], i) => {
      const annotations = { ...authored(exported[i]), ...notesOf(exported[i]) };
      return at.make(kind, {
        metadata: manifestMetadata(exported[i], annotations),
        spec: specOf(exported[i]),
      });
    }),
  );
}

/** Annotations that no controller has written. */
function authored(object: unknown): Readonly<Record<string, string>> {
  const { "deployment.kubernetes.io/revision": _revision, ...others } = withoutNotes(object);
  return others;
}

function manifestMetadata(object: unknown, annotations: Readonly<Record<string, string>>): object {
  return {
    name: field(object, "metadata", "name"),
    labels: field(object, "metadata", "labels") ?? {},
    annotations,
  };
}

function specOf(object: unknown): unknown {
  return field(object, "spec");
}
