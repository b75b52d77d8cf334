import type { Product } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { test } from "vitest";
import { at as field, Site } from "../../site.ts";
import type { World } from "../../world.ts";
import { adopted, makeDeployments, settleAt } from "./estate.ts";
import { launchBehindProxy, launcher } from "./launch.ts";
import { startTemplateGuard } from "./template-guard.ts";

/** Writes of ours that do not become what they were meant to be. */
export function lostWriteTests(world: () => World): void {
  const start = launcher(world);

  test("a write that lands after its caller gave up hides no later change", async () => {
    const at = await Site.make(world().client, "late-write");
    await at.configMap("settings", { v: "A" });
    const owned = await makeDeployments(at, ["api"]);
    await using behind = await launchBehindProxy(world(), at);
    const { product, proxy } = behind;
    await product.ready();
    await adopted(at, owned);
    await until("its status is told, which is a write, too", () => isStatusTold(at));
    const held = proxy.hold({ method: "PATCH", path: "/deployments/api" });
    await at.change("ConfigMap", "settings", { v: "B" });
    await until("the write is held", () => held.count === 1);
    await at.change("ConfigMap", "settings", { v: "A" });
    await until("its caller has given up", () => held.abandoned === 1);
    await until("nothing is left to do", async () => (await workOf(product)) === 0);
    await held.release();
    // Landed, it would leave pods of A with a note of B.
    await settleAt(at, owned, 0);
    await at.change("ConfigMap", "settings", { v: "B" });
    await settleAt(at, owned, 1);
  });

  // The simulated API server knows no webhooks.
  if (world().name === "real") {
    test("an edit that an admission webhook removes is made once it is let through", async () => {
      const at = await Site.make(world().client, "guarded");
      await at.configMap("settings", { v: "A" });
      const owned = await makeDeployments(at, ["api"]);
      await using product = start(at);
      await product.ready();
      await adopted(at, owned);
      await using guard = await startTemplateGuard(world().client, at, "api");
      await at.change("ConfigMap", "settings", { v: "B" });
      await until("the edit is taken out", () => guard.undone > 0);
      guard.mend();
      await settleAt(at, owned, 1);
    });
  }
}

async function isStatusTold(at: Site): Promise<boolean> {
  const live = await at.object("Deployment", "api");
  return (
    field(live, "status", "observedGeneration") === field(live, "metadata", "generation") &&
    field(live, "status", "updatedReplicas") === 1
  );
}

/** How much there is for workers to do, as it tells who scales them. */
async function workOf(product: Product): Promise<unknown> {
  const answer: unknown = await (await fetch(`${await product.healthUrl()}/work`)).json();
  return field(answer, "work");
}
