import { atBest } from "@fleet-reloader/testkit/in-time";
import { startProduct } from "@fleet-reloader/testkit/product";
import { holds, until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

/** How fast a budget lets many rolls through. It measures a pace, so nothing else runs beside it. */
export function budgetPaceTests(world: () => World): void {
  test("one Secret in 40 namespaces rolls each once, at the pace of the budget", () =>
    atBest(async () => {
      const purpose = `mirror${Math.random().toString(36).slice(2, 6)}`;
      const sites = await Promise.all(
        Array.from({ length: 40 }, () => Site.make(world().client, "mirror", { team: purpose })),
      );
      await Promise.all(
        sites.map(async (at) => {
          await at.secret("mirrored", { v: "0" });
          await at.workload("Deployment", "api", { annotations: auto, spec: reads(["Secret", "mirrored"]) });
        }),
      );
      await using product = startProduct({
        kubeconfig: world().kubeconfigPath,
        args: ["--namespace-selector", `team=${purpose}`, "--debounce", "0", "--budget-fleet", "rate=4/s"],
      });
      await product.ready();
      // Forty namespaces are forty times what a site of its own waits for.
      await Promise.all(sites.map((at) => at.adopted("Deployment", "api")));
      const changedMs = Date.now();
      await Promise.all(sites.map((at) => at.change("Secret", "mirrored", { v: "1" })));
      const rolledMs = () =>
        product.log
          .filter(({ msg }) => msg === "workload rolled")
          .map(({ time }) => new Date(String(time)).getTime());
      await until("all have rolled", () => rolledMs().length >= sites.length);
      // There is no quiet period, and within this time the budget has room for all that would come twice.
      await holds("no more rolls", 3000, () => rolledMs().length === sites.length);
      const rolls = await Promise.all(sites.map((at) => at.rolls("Deployment", "api")));
      expect(rolls).toEqual(sites.map(() => 1));
      const afterMs = rolledMs()
        .map((time) => time - changedMs)
        .sort((a, b) => a - b);
      // A budget that nobody has asked before has saved nothing up: the n-th comes n-1 quarters of a second after the first at the earliest,
      // and a busy machine only makes it later. Of what it allows half is used on a machine however busy; all but a tenth on a quiet one: B04.
      const early = afterMs.filter((ms, position) => ms < position * 250 * 0.95);
      expect(early).toEqual([]);
      expect(afterMs.at(-1)).toBeLessThan(20_000);
    }));
}
