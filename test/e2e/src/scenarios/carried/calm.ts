import { describe, test } from "vitest";
import { auto, laterThanTogether, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { adopted, makeEstate, makeReaders, notesOf, type Owned, redisFates, settleAt } from "./estate.ts";
import { launcher } from "./launch.ts";

/** How long nothing may happen: workloads are looked at without a quiet period. */
const unmovedMs = 4000;

/** What is no change for the pods rolls nothing. In the end a change does, so that nobody was merely asleep. */
export function calmTests(world: () => World): void {
  const start = launcher(world);

  async function rollsNothingButAChange(at: Site, owned: readonly Owned[], configMap: string): Promise<void> {
    await adopted(at, owned);
    await settleAt(at, owned, 0, { quietMs: unmovedMs });
    await at.change("ConfigMap", configMap, { v: "changed" });
    await settleAt(at, owned, 1);
  }

  test("what is applied together rolls nothing, whichever comes first", async () => {
    const at = await Site.make(world().client, "together");
    await using product = start(at);
    await product.ready();
    const first = await makeEstate(at, "first");
    await at.configMap("settings", { v: "A" });
    const last = await makeEstate(at, "last");
    await rollsNothingButAChange(at, [...first, ...last], "settings");
  });

  test("a required ConfigMap that is made after its workloads rolls nothing", async () => {
    const at = await Site.make(world().client, "required");
    await using product = start(at);
    await product.ready();
    const owned = await makeEstate(at, "api");
    await adopted(at, owned);
    await laterThanTogether();
    await at.configMap("settings", { v: "A" });
    await rollsNothingButAChange(at, owned, "settings");
  });

  describe.each([["is there at once"], ["is made late"]])("a ConfigMap that %s", (when) => {
    test("and was made while the process was frozen rolls nothing", async () => {
      const at = await Site.make(world().client, "frozen-calm");
      await using product = start(at);
      await product.ready();
      product.signal("SIGSTOP");
      const owned = await makeEstate(at, "api");
      if (when === "is made late") await laterThanTogether();
      await at.configMap("settings", { v: "A" });
      product.signal("SIGCONT");
      await rollsNothingButAChange(at, owned, "settings");
    });
  });

  /** Workloads that nobody opted in, and a ConfigMap of theirs that has changed since. */
  async function changedBefore(at: Site): Promise<readonly Owned[]> {
    await at.configMap("settings", { v: "A" });
    const owned = await makeReaders(at, "api", ["ConfigMap", "settings"], {});
    await laterThanTogether();
    await at.change("ConfigMap", "settings", { v: "B" });
    await laterThanTogether();
    return owned;
  }

  async function optIn(at: Site, owned: readonly Owned[]): Promise<void> {
    await Promise.all(owned.map(([kind, name]) => at.patch(kind, name, { metadata: { annotations: auto } })));
  }

  test("a workload opted in after its ConfigMap changed rolls for the next change only", async () => {
    const at = await Site.make(world().client, "opted-in");
    await using product = start(at);
    await product.ready();
    const owned = await changedBefore(at);
    await optIn(at, owned);
    await rollsNothingButAChange(at, owned, "settings");
  });

  test("one opted in while the process is down, after a change, rolls for the next only", async () => {
    const at = await Site.make(world().client, "opted-in-down");
    await at.configMap("known", { v: "A" });
    const known = await makeEstate(at, "known", "known");
    await using first = start(at);
    await first.ready();
    await adopted(at, known);
    await first.stop();
    const owned = await changedBefore(at);
    await optIn(at, owned);
    await using again = start(at, { dataDir: first.dataDir });
    await again.ready();
    await rollsNothingButAChange(at, owned, "settings");
    await settleAt(at, known, 0);
  });

  test("the first start rolls nothing, also for what changed before it", async () => {
    const at = await Site.make(world().client, "first-start");
    for (const name of ["same", "other"]) await at.configMap(name, { v: "A" });
    const same = await makeEstate(at, "same", "same");
    const changed = await makeEstate(at, "other", "other");
    await laterThanTogether();
    await at.change("ConfigMap", "other", { v: "B" });
    await laterThanTogether();
    await using product = start(at);
    await product.ready();
    await rollsNothingButAChange(at, changed, "other");
    await rollsNothingButAChange(at, same, "same");
  });

  describe.each(redisFates)("%s", (_, afterwards) => {
    test("a restart rolls nothing", async () => {
      const at = await Site.make(world().client, "restart");
      for (const name of ["same", "other"]) await at.configMap(name, { v: "A" });
      const same = await makeEstate(at, "same", "same");
      const changed = await makeEstate(at, "other", "other");
      await using first = start(at);
      await first.ready();
      await adopted(at, [...same, ...changed]);
      await laterThanTogether();
      await at.change("ConfigMap", "other", { v: "B" });
      await settleAt(at, changed, 1);
      await first.stop();
      afterwards(first.dataDir);
      await using again = start(at, { dataDir: first.dataDir });
      await again.ready();
      await settleAt(at, changed, 1, { quietMs: unmovedMs });
      await rollsNothingButAChange(at, same, "same");
    });

    test("an upgrade reads earlier notes and rolls only what changed meanwhile", async () => {
      const at = await Site.make(world().client, "upgrade");
      for (const name of ["same", "other"]) await at.configMap(name, { v: "A" });
      const same = await makeEstate(at, "same", "same");
      const changed = await makeEstate(at, "other", "other");
      await using first = start(at);
      await first.ready();
      await adopted(at, [...same, ...changed]);
      await first.stop();
      afterwards(first.dataDir);
      await Promise.all([...same, ...changed].map((one) => writeNoteOfBefore(at, one)));
      await laterThanTogether();
      await at.change("ConfigMap", "other", { v: "B" });
      await using again = start(at, { dataDir: first.dataDir });
      await again.ready();
      await settleAt(at, changed, 1);
      await rollsNothingButAChange(at, same, "same");
    });
  });
}

/** What notes consisted of before they told whose they are and which came last. */
const fieldsOfBefore = ["v", "key", "template", "until", "patterns", "sources"];

async function writeNoteOfBefore(at: Site, [kind, name]: Owned): Promise<void> {
  const notes = Object.entries(notesOf(await at.object(kind, name))).map(([key, text]) => {
    const kept = Object.entries(JSON.parse(text)).filter(([each]) => fieldsOfBefore.includes(each));
    return [key, JSON.stringify(Object.fromEntries(kept))];
  });
  await at.patch(kind, name, { metadata: { annotations: Object.fromEntries(notes) } });
}
