import type { Product } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { at as field, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { adopted, eachHasOne, makeDeployments, named, settleAt, workloadsMin } from "./estate.ts";
import { launchBehindProxy, launcher } from "./launch.ts";
import { startTemplateGuard } from "./template-guard.ts";

/** A cluster that has been idle is sent two requests, and no more before it answers one. */
const heldAtOnce = Math.min(2, workloadsMin);
const rounds = Array.from({ length: workloadsMin / heldAtOnce }, (_, i) => i + 1);

/** Writes of ours that do not become what they were meant to be. */
export function lostWriteTests(world: () => World): void {
  const start = launcher(world);

  test.each(rounds)(
    "a write that lands after its caller gave up hides no later change, round %d",
    async () => {
      const at = await Site.make(world().client, "late-write");
      await at.configMap("settings", { v: "A" });
      const owned = await makeDeployments(at, named("api", heldAtOnce));
      await using behind = await launchBehindProxy(world(), at);
      const { product, proxy } = behind;
      await product.ready();
      await adopted(at, owned);
      await until("their status is told, which is a write, too", () => eachHasOne(at, "updatedReplicas"));
      const held = proxy.hold({ method: "PATCH", path: "/deployments/api", count: heldAtOnce });
      await at.change("ConfigMap", "settings", { v: "B" });
      await until("the writes are held", () => held.count === heldAtOnce);
      expect(held.abandoned).toBe(0);
      await at.change("ConfigMap", "settings", { v: "A" });
      await until("their caller has given up", () => held.abandoned === heldAtOnce);
      await until("nothing is left to do", async () => (await workOf(product)) === 0);
      await held.release();
      // Landed, it would leave pods of A with a note of B.
      await settleAt(at, owned, 0);
      await at.change("ConfigMap", "settings", { v: "B" });
      await settleAt(at, owned, 1);
    },
  );

  // The simulated API server knows no webhooks.
  if (world().name === "real") {
    test("an edit that an admission webhook removes is made once it is let through", async () => {
      const at = await Site.make(world().client, "guarded");
      await at.configMap("settings", { v: "A" });
      const owned = await makeDeployments(at, named("api", workloadsMin));
      await using product = start(at);
      await product.ready();
      await adopted(at, owned);
      await using guard = await startTemplateGuard(world().client, at, "api");
      await at.change("ConfigMap", "settings", { v: "B" });
      await until("each edit is taken out", () => guard.undone === owned.length);
      guard.mend();
      await settleAt(at, owned, 1);
    });
  }
}

/** How much there is for workers to do, as it tells who scales them, and what is on hold because the cluster did not answer. */
async function workOf(product: Product): Promise<number> {
  const answer: unknown = await (await fetch(`${await product.healthUrl()}/work`)).json();
  return Number(field(answer, "work")) + Number(field(answer, "held"));
}
