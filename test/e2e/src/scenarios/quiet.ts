import { atBest } from "@fleet-reloader/testkit/in-time";
import { holds } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, at as fieldAt, reads, Site, unhurried } from "../site.ts";
import type { World } from "../world.ts";

/** What must not roll, and what must roll only once. On a running product with the default debounce. */
export function quietTests(world: () => World): void {
  const site = (purpose: string) => Site.make(world().client, purpose);

  test.concurrent("writes of only labels, annotations or unreferenced keys roll nothing", async () => {
    const at = await site("quiet");
    await at.configMap("settings", { used: "1", unused: "1" });
    const env = [{ name: "USED", valueFrom: { configMapKeyRef: { name: "settings", key: "used" } } }];
    await at.workload("Deployment", "api", {
      annotations: auto,
      spec: { containers: [{ name: "app", image: "app:1", env }] },
    });
    await at.adopted("Deployment", "api");
    await at.patch("ConfigMap", "settings", { metadata: { labels: { a: "b" } } });
    await at.patch("ConfigMap", "settings", { metadata: { annotations: { a: "b" } } });
    await at.change("ConfigMap", "settings", { unused: "2" });
    await at.settlesAt("Deployment", "api", 0, { quietMs: 5000 });
    await at.change("ConfigMap", "settings", { used: "2" });
    await at.settlesAt("Deployment", "api", 1);
  });

  test.concurrent("50 writes to 5 sources in a workload's quiet period: one roll, the final content", async () => {
    const at = await site("burst");
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await at.configMap(name, { v: "0" });
    const sources = names.map((name) => ["ConfigMap", name] as const);
    const annotations = { ...auto, ...unhurried.annotations };
    await at.workload("Deployment", "api", { annotations, spec: reads(...sources) });
    await at.workload("Deployment", "reference", { annotations, spec: reads(...sources) });
    await at.adopted("Deployment", "api");
    await at.adopted("Deployment", "reference");
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all(names.map((name) => at.change("ConfigMap", name, { v: String(round) })));
    }
    await at.settlesAt("Deployment", "api", 1, unhurried);
    // The final content is what is carried: another workload that saw it all in one piece carries the same.
    await at.settlesAt("Deployment", "reference", 1);
    const applied = async (name: string) =>
      fieldAt(JSON.parse((await at.note("Deployment", name)) ?? "{}"), "sources");
    expect(await applied("api")).toEqual(await applied("reference"));
  });

  test.concurrent("A→B→A within the quiet period rolls nothing", async () => {
    const at = await site("aba");
    await at.configMap("settings", { v: "A" });
    const annotations = { ...auto, ...unhurried.annotations };
    await at.workload("Deployment", "api", { annotations, spec: reads(["ConfigMap", "settings"]) });
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.change("ConfigMap", "settings", { v: "A" });
    await at.settlesAt("Deployment", "api", 0, unhurried);
  });

  test.concurrent("deleted and made again with equal content rolls nothing, with other content once", async () => {
    const at = await site("recreate");
    await at.configMap("settings", { v: "A" });
    const annotations = { ...auto, ...unhurried.annotations };
    await at.workload("Deployment", "api", { annotations, spec: reads(["ConfigMap", "settings"]) });
    await at.adopted("Deployment", "api");
    await at.remove("ConfigMap", "settings");
    await at.configMap("settings", { v: "A" });
    await at.settlesAt("Deployment", "api", 0, unhurried);
    await at.remove("ConfigMap", "settings");
    await at.configMap("settings", { v: "B" });
    await at.settlesAt("Deployment", "api", 1);
  });

  test.concurrent("a workload not opted in, an ignored source and an excluded one roll nothing", async () => {
    const at = await site("not-opted-in");
    await at.configMap("settings", { v: "A" });
    await at.configMap("ignored", { v: "A" });
    await at.patch("ConfigMap", "ignored", {
      metadata: { annotations: { "reloader.stakater.com/ignore": "true" } },
    });
    await at.workload("Deployment", "plain", { spec: reads(["ConfigMap", "settings"]) });
    await at.workload("Deployment", "ignoring", { annotations: auto, spec: reads(["ConfigMap", "ignored"]) });
    const annotations = { ...auto, "configmaps.exclude.reloader.stakater.com/reload": "settings" };
    await at.workload("Deployment", "excluding", { annotations, spec: reads(["ConfigMap", "settings"]) });
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.change("ConfigMap", "ignored", { v: "B" });
    for (const name of ["plain", "ignoring", "excluding"])
      await at.settlesAt("Deployment", name, 0, { quietMs: 3000 });
  });

  test.concurrent("every ConfigMap that matches a pattern rolls the workload, without a reference", async () => {
    const at = await site("pattern");
    await at.configMap("app-one", { v: "A" });
    await at.configMap("other", { v: "A" });
    await at.workload("Deployment", "api", {
      annotations: { "configmap.reloader.stakater.com/reload": "app-.*" },
    });
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "other", { v: "B" });
    await at.settlesAt("Deployment", "api", 0, { quietMs: 4000 });
    await at.change("ConfigMap", "app-one", { v: "B" });
    await at.settlesAt("Deployment", "api", 1);
  });

  test.concurrent("an unreadable annotation on one workload disturbs no other", async () => {
    const at = await site("unreadable");
    await at.configMap("settings", { v: "A" });
    const annotations = {
      "configmap.reloader.stakater.com/reload": "([",
      "fleet-reloader.io/debounce": "soon",
    };
    await at.workload("Deployment", "broken", { annotations });
    await at.workload("Deployment", "fine", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await at.adopted("Deployment", "fine");
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.settlesAt("Deployment", "fine", 1);
    expect(await at.rolls("Deployment", "broken")).toBe(0);
  });

  test.concurrent("a workload's own debounce is used", () =>
    atBest(async () => {
      const at = await site("own-window");
      await at.configMap("settings", { v: "A" });
      const windows = {
        none: { "fleet-reloader.io/debounce": "0" },
        set: {},
        long: { "fleet-reloader.io/debounce": "6s" },
      };
      const names = Object.keys(windows);
      const spec = reads(["ConfigMap", "settings"]);
      for (const [name, window] of Object.entries(windows))
        await at.workload("Deployment", name, { annotations: { ...auto, ...window }, spec });
      for (const name of names) await at.adopted("Deployment", name);
      await at.change("ConfigMap", "settings", { v: "B" });
      await holds("it waits for its quiet", 4500, async () => (await at.rolls("Deployment", "long")) === 0);
      for (const name of names) await at.settlesAt("Deployment", name, 1, { quietMs: 500 });
      // By the API server's own clock: whole seconds, and at least two lie between them.
      const [none = 0, set = 0, long = 0] = await Promise.all(names.map((name) => at.rolledAt(name)));
      expect(none).toBeLessThan(set);
      expect(set).toBeLessThan(long);
    }));
}
