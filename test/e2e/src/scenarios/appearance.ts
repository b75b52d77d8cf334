import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { togetherMs, whileInTime } from "@fleet-reloader/testkit/in-time";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { describe, expect, test } from "vitest";
import { auto, at as fieldAt, laterThanTogether, reads, Site, unhurried } from "../site.ts";
import type { World } from "../world.ts";

const flags = ["--reload-on-create=true", "--reload-on-delete=true"];

/** Sources that are created and deleted, with the flags that make them count and without. */
export function appearanceTests(world: () => World): void {
  const start = (at: Site, args: readonly string[], dataDir?: string): Product =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespaces", at.namespace, "--debounce", "1s", ...args],
      ...(dataDir === undefined ? {} : { dataDir }),
    });

  const make = (at: Site, kind: "ConfigMap" | "Secret", name: string, v: string) =>
    kind === "Secret" ? at.secret(name, { v }) : at.configMap(name, { v });

  describe.each(["annotations", "env-vars"] as const)("strategy %s", (strategy) => {
    test.concurrent.each(["ConfigMap", "Secret"] as const)(
      "a %s that is created, deleted and created again rolls each time once",
      async (kind) => {
        const at = await Site.make(world().client, "appear");
        await at.workload("Deployment", "api", { annotations: auto, spec: reads([kind, "settings"]) });
        // Without its variable a template is an earlier one again: only a Deployment counts that as one more.
        await at.workload("Deployment", "named", {
          annotations: { [`${kind.toLowerCase()}.reloader.stakater.com/reload`]: "settings" },
        });
        await using product = start(at, [...flags, "--reload-strategy", strategy]);
        await product.ready();
        const workloads = ["api", "named"];
        for (const name of workloads) await at.adopted("Deployment", name);
        await laterThanTogether();

        await make(at, kind, "settings", "A");
        for (const name of workloads) await at.settlesAt("Deployment", name, 1);
        const variable = `STAKATER_SETTINGS_${kind.toUpperCase()}`;
        if (strategy === "env-vars") expect(await templateOf(at)).toContain(variable);

        await at.remove(kind, "settings");
        for (const name of workloads) await at.settlesAt("Deployment", name, 2);
        const template = await templateOf(at);
        if (strategy === "env-vars") expect(template).not.toContain(variable);
        // SHA-1 of the peer's marker for a deletion (compat spec, 3.2).
        else expect(template).toContain("aae45badef99284e4dae01d6046154ea9d99532f");

        await make(at, kind, "settings", "A");
        for (const name of workloads) await at.settlesAt("Deployment", name, 3);
      },
    );
  });

  test.concurrent("without the flags neither rolls", async () => {
    const at = await Site.make(world().client, "appear-off");
    await at.configMap("settings", { v: "A" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await at.workload("Deployment", "late", { annotations: auto, spec: reads(["Secret", "credentials"]) });
    await using product = start(at, []);
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.adopted("Deployment", "late");
    await laterThanTogether();
    await at.secret("credentials", { v: "A" });
    await at.remove("ConfigMap", "settings");
    await at.settlesAt("Deployment", "late", 0);
    await at.settlesAt("Deployment", "api", 0);
    // What the pods carry is still known.
    await at.configMap("settings", { v: "B" });
    await at.settlesAt("Deployment", "api", 1);
  });

  test.concurrent("deleted and created again with the same content within the quiet period: nothing", async () => {
    const at = await Site.make(world().client, "appear-again");
    await at.configMap("settings", { v: "A" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await using product = start(at, [...flags, "--debounce", "8s"]);
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.remove("ConfigMap", "settings");
    await at.configMap("settings", { v: "A" });
    await at.settlesAt("Deployment", "api", 0, unhurried);
  });

  test.concurrent("applied together with its workload, before or after it: nothing", async () => {
    await whileInTime(togetherMs, async (inTime) => {
      const at = await Site.make(world().client, "appear-together");
      await using product = start(at, flags);
      await product.ready();
      const spec = reads(["ConfigMap", "settings"]);
      inTime();
      await Promise.all([
        at.workload("Deployment", "api", { annotations: auto, spec }),
        at.configMap("settings", { v: "A" }),
      ]);
      inTime();
      await at.adopted("Deployment", "api");
      await at.settlesAt("Deployment", "api", 0, { quietMs: 5000 });
    });
  });

  test.concurrent("deleted, and created, while nothing of ours ran: caught up at the start", async () => {
    const at = await Site.make(world().client, "appear-down");
    const dataDir = mkdtempSync(join(tmpdir(), "fr-"));
    await at.configMap("settings", { v: "A" });
    await at.workload("Deployment", "loses", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await at.workload("Deployment", "gains", { annotations: auto, spec: reads(["Secret", "credentials"]) });
    {
      await using before = start(at, flags, dataDir);
      await before.ready();
      await at.adopted("Deployment", "loses");
      await at.adopted("Deployment", "gains");
    }
    await laterThanTogether();
    await at.remove("ConfigMap", "settings");
    await at.secret("credentials", { v: "A" });
    {
      await using after = start(at, flags, dataDir);
      await after.ready();
      await at.settlesAt("Deployment", "loses", 1);
      await at.settlesAt("Deployment", "gains", 1);
    }
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function templateOf(at: Site): Promise<string> {
    return JSON.stringify(fieldAt(await at.object("Deployment", "api"), "spec", "template"));
  }
}
