import { passed } from "@fleet-reloader/testkit/until";
import { describe, test } from "vitest";
import { laterThanTogether, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import {
  adopted,
  begun,
  makeDeployments,
  makeEstate,
  named,
  type Owned,
  redisFates,
  settleAt,
  workloadsMin,
} from "./estate.ts";
import { launchBehindProxy, launcher } from "./launch.ts";

/** As many as a busy worker looks at in several goes. */
const many = Math.max(60, workloadsMin);

/** How long pods of a workload run before their source changes: by the API server's times that is long after their start. */
const runMs = 4000;

/** Slow enough that the looks at many workloads take seconds. */
const slowWriteMs = 300;

/** Workloads and their sources are made and change before anybody of ours has looked at them. */
export function absenceTests(world: () => World): void {
  const start = launcher(world);

  /** Some workloads are there before their ConfigMap, some after it. Then it changes. */
  async function liveThroughAChange(at: Site): Promise<readonly Owned[]> {
    const early = await makeEstate(at, "early");
    await at.configMap("settings", { v: "A" });
    const late = await makeEstate(at, "late");
    const owned = [...early, ...late];
    await begun(at, owned);
    await passed(runMs);
    await at.change("ConfigMap", "settings", { v: "B" });
    return owned;
  }

  test("what was made and changed while the process was frozen rolls once", async () => {
    const at = await Site.make(world().client, "frozen");
    await using product = start(at);
    await product.ready();
    product.signal("SIGSTOP");
    const owned = await liveThroughAChange(at);
    product.signal("SIGCONT");
    await settleAt(at, owned, 1);
  });

  describe.each(redisFates)("%s", (_, afterwards) => {
    test("what was made and changed while the process was down rolls once", async () => {
      const at = await Site.make(world().client, "down");
      await at.configMap("known", { v: "A" });
      const known = await makeEstate(at, "known", "known");
      await using first = start(at);
      await first.ready();
      await adopted(at, known);
      await first.stop();
      await laterThanTogether();
      const owned = await liveThroughAChange(at);
      afterwards(first.dataDir);
      await using again = start(at, { dataDir: first.dataDir });
      await again.ready();
      await settleAt(at, owned, 1);
      await settleAt(at, known, 0);
    });
  });

  test("Deployments made while the process is stopped now and then roll once each", async () => {
    const at = await Site.make(world().client, "storm");
    await at.configMap("settings", { v: "A" });
    await using product = start(at);
    await product.ready();
    const seen = await makeDeployments(at, named("seen", many / 2));
    product.signal("SIGSTOP");
    const unseen = await makeDeployments(at, named("unseen", many / 2));
    const owned = [...seen, ...unseen];
    await begun(at, owned);
    await passed(runMs);
    await at.change("ConfigMap", "settings", { v: "B" });
    product.signal("SIGCONT");
    await settleAt(at, owned, 1);
  });

  test("a change at the moment of first readiness rolls every workload once", async () => {
    const at = await Site.make(world().client, "ready");
    await at.configMap("settings", { v: "A" });
    const owned = await makeDeployments(at, named("api", many));
    await begun(at, owned);
    await laterThanTogether();
    await using behind = await launchBehindProxy(world(), at);
    behind.proxy.delay(slowWriteMs, { method: "PATCH" });
    await behind.product.ready();
    await at.change("ConfigMap", "settings", { v: "B" });
    behind.proxy.heal();
    await settleAt(at, owned, 1);
  });
}
