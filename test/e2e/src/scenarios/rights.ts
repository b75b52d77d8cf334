import { startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { shippedRights, without } from "../shipped-rights.ts";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";
import { Stage } from "./kinds/stage.ts";
import { cronJobs, jobs, rolledByTemplate } from "./kinds/subjects.ts";

/** The rights the product says it needs are the rights it needs: it works with them, and names the one that is missing. */
export function rightsTests(world: () => World): void {
  test("works with exactly the shipped rights; names one that lacks, heals when granted", async () => {
    await world().grant(without("secrets", shippedRights()));
    const at = await Site.make(world().client, "rights");
    await at.secret("credentials", { v: "A" });
    await at.configMap("settings", { v: "A" });
    await at.workload("Deployment", "reads-secret", {
      annotations: auto,
      spec: reads(["Secret", "credentials"]),
    });
    await at.workload("Deployment", "reads-config", {
      annotations: auto,
      spec: reads(["ConfigMap", "settings"]),
    });
    await using product = startProduct({ kubeconfig: world().limited.kubeconfigPath });
    const refused = await until("a message names what is missing", () =>
      product.log.find((line) => String(line.err).includes('cannot list resource "secrets"')),
    );
    expect(refused.level).toBe("warn");
    // What is not refused works all the same; readiness tells what does not.
    await at.adopted("Deployment", "reads-config");
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.settlesAt("Deployment", "reads-config", 1, { quietMs: 500 });
    const ready = await fetch(`${await product.healthUrl()}/ready`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain("secrets");

    await world().grant(shippedRights());
    await product.ready();
    await at.adopted("Deployment", "reads-secret");
    await at.change("Secret", "credentials", { v: "B" });
    await at.settlesAt("Deployment", "reads-secret", 1, { quietMs: 500 });
    expect(await product.stop()).toBe(0);
  });

  test("with exactly the rights that are shipped a CronJob runs and a Job is made anew", async () => {
    await world().grant(shippedRights());
    await using product = startProduct({
      kubeconfig: world().limited.kubeconfigPath,
      args: ["--debounce", "500ms"],
    });
    await product.ready();
    const stages = [cronJobs, jobs, rolledByTemplate("DeploymentConfig")].map((subject) =>
      Stage.prepare(world(), subject),
    );
    await Promise.all(stages.map(async (stage) => await (await stage).actsOnAChange()));
  });
}
