import { createHash } from "node:crypto";
import { startProduct } from "@fleet-reloader/testkit/product";
import { expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

/** The peer's hash of `{v: value}` (compat spec, 3.2), computed here on its own. */
const peerHash = (value: string): string => createHash("sha1").update(`v=${value}`).digest("hex");

/** The first start on a cluster that is in use: nothing rolls for it, and nothing that was missed is forgotten. */
export function adoptionTests(world: () => World): void {
  async function site(purpose: string): Promise<Site> {
    const at = await Site.make(world().client, purpose);
    await at.configMap("settings", { v: "A" });
    await at.secret("credentials", { v: "A" });
    return at;
  }

  function peerVariables(hash: string): object {
    const env = [
      { name: "STAKATER_SETTINGS_CONFIGMAP", value: hash },
      { name: "STAKATER_CREDENTIALS_SECRET", value: hash },
    ];
    const envFrom = [{ configMapRef: { name: "settings" } }, { secretRef: { name: "credentials" } }];
    return { containers: [{ name: "app", image: "app:1", env, envFrom }] };
  }

  test.concurrent("the first start on opted-in workloads rolls none, with the peer's traces or not", async () => {
    const at = await site("adopt");
    const both = [["ConfigMap", "settings"] as const, ["Secret", "credentials"] as const];
    const lastReloadedFrom = JSON.stringify({
      type: "SECRET",
      name: "credentials",
      namespace: at.namespace,
      hash: peerHash("A"),
      containerRefs: ["app"],
      observedAt: 1_700_000_000,
    });
    for (const kind of ["Deployment", "StatefulSet", "DaemonSet"] as const) {
      await at.workload(kind, "plain", { annotations: auto, spec: reads(...both) });
      await at.workload(kind, "with-variables", { annotations: auto, spec: peerVariables(peerHash("A")) });
      await at.workload(kind, "with-annotation", {
        annotations: auto,
        templateAnnotations: { "reloader.stakater.com/last-reloaded-from": lastReloadedFrom },
        spec: reads(...both),
      });
    }
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace],
    });
    await product.ready();
    for (const kind of ["Deployment", "StatefulSet", "DaemonSet"] as const) {
      for (const name of ["plain", "with-variables", "with-annotation"]) {
        await at.adopted(kind, name);
        expect(await at.rolls(kind, name), `${kind} ${name}`).toBe(0);
      }
    }
    await at.settlesAt("Deployment", "with-variables", 0, { quietMs: 5000 });
    await at.change("Secret", "credentials", { v: "B" });
    for (const kind of ["Deployment", "StatefulSet", "DaemonSet"] as const) {
      for (const name of ["plain", "with-variables", "with-annotation"])
        await at.settlesAt(kind, name, 1, { quietMs: 500 });
    }
  });

  test.concurrent("a change the peer missed shows in its variable, and rolls once", async () => {
    const at = await site("adopt-missed");
    await at.workload("Deployment", "behind", {
      annotations: auto,
      spec: peerVariables(peerHash("before A")),
    });
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace],
    });
    await product.ready();
    await at.settlesAt("Deployment", "behind", 1);
  });

  test.concurrent("a workload that opts out loses its note, and opting in again rolls nothing", async () => {
    const at = await site("opt-out");
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace],
    });
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.patch("Deployment", "api", {
      metadata: { annotations: { "reloader.stakater.com/auto": null } },
    });
    await at.forgotten("Deployment", "api");
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.patch("Deployment", "api", { metadata: { annotations: auto } });
    await at.adopted("Deployment", "api");
    await at.settlesAt("Deployment", "api", 0, { quietMs: 5000 });
  });
}
