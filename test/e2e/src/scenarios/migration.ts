import { createHash } from "node:crypto";
import { startProduct } from "@fleet-reloader/testkit/product";
import { expect, test } from "vitest";
import { at as pathOf, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

/** The peer's hash of `{v: value}` (compat spec, 3.2), computed here on its own. */
const peerHash = (value: string): string => createHash("sha1").update(`v=${value}`).digest("hex");

const variable = "STAKATER_SETTINGS_CONFIGMAP";

/** What an installation of the peer typically says: its flags in its spellings, and the variables its chart sets. */
const peerFlags = [
  "--reload-strategy=env-vars",
  "--auto-annotation=acme.io/auto",
  "--configmap-annotation",
  "acme.io/configmaps",
  "--auto-reload-all=false",
  "--log-level=info",
  "--sync-after-restart",
  "--enable-ha=true",
  "--enable-pprof=true",
  "--pprof-addr=:6060",
] as const;
const peerVariables = {
  POD_NAME: "reloader-reloader-5d7f",
  POD_NAMESPACE: "reloader",
  GOMAXPROCS: "1",
  GOMEMLIMIT: "536870912",
};

/** From the peer to us: its flags, its variables and its traces on the workloads are ours to understand. */
export function migrationTests(world: () => World): void {
  const optedIn = { "acme.io/auto": "true" } as const;

  /** What the peer left on a workload that it last rolled when `settings` held this value. */
  function withVariable(value: string) {
    const env = [{ name: variable, value: peerHash(value) }];
    const envFrom = [{ configMapRef: { name: "settings" } }];
    return { annotations: optedIn, spec: { containers: [{ name: "app", image: "app:1", env, envFrom }] } };
  }
  function withAnnotation(at: Site, value: string) {
    const lastReloadedFrom = JSON.stringify({
      type: "CONFIGMAP",
      name: "settings",
      namespace: at.namespace,
      hash: peerHash(value),
      containerRefs: ["app"],
      observedAt: 1_700_000_000,
    });
    return {
      annotations: optedIn,
      templateAnnotations: { "reloader.stakater.com/last-reloaded-from": lastReloadedFrom },
      spec: reads(["ConfigMap", "settings"]),
    };
  }

  test.concurrent("with the peer's flags: what it missed rolls, then every change rolls once", async () => {
    const at = await Site.make(world().client, "migrate");
    await at.configMap("settings", { v: "A" });
    const upToDate = ["untouched", "variable", "annotation", "named"];
    const behind = ["variable-behind", "annotation-behind"];
    await at.workload("Deployment", "untouched", {
      annotations: optedIn,
      spec: reads(["ConfigMap", "settings"]),
    });
    await at.workload("Deployment", "named", { annotations: { "acme.io/configmaps": "sett.*" } });
    await at.workload("Deployment", "variable", withVariable("A"));
    await at.workload("Deployment", "annotation", withAnnotation(at, "A"));
    await at.workload("Deployment", "variable-behind", withVariable("before A"));
    await at.workload("Deployment", "annotation-behind", withAnnotation(at, "before A"));
    // Another install's annotation names mean nothing once the flags say others.
    await at.workload("Deployment", "other-names", {
      annotations: { "reloader.stakater.com/auto": "true" },
      spec: reads(["ConfigMap", "settings"]),
    });

    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: peerFlags,
      env: { ...peerVariables, KUBERNETES_NAMESPACE: at.namespace },
    });
    await product.ready();
    for (const name of [...upToDate, ...behind]) await at.adopted("Deployment", name);
    for (const name of behind) await at.settlesAt("Deployment", name, 1, { quietMs: 500 });
    await Promise.all(upToDate.map((name) => at.settlesAt("Deployment", name, 0, { quietMs: 5000 })));
    const rolled = product.log.filter((line) => line.msg === "workload rolled");
    expect(JSON.stringify(rolled).match(/"reason":"[A-Za-z]+"/g)).toEqual(
      behind.map(() => '"reason":"ChangedBeforeAdoption"'),
    );

    await at.change("ConfigMap", "settings", { v: "B" });
    await Promise.all([
      ...upToDate.map((name) => at.settlesAt("Deployment", name, 1)),
      ...behind.map((name) => at.settlesAt("Deployment", name, 2)),
    ]);
    expect(await at.rolls("Deployment", "other-names")).toBe(0);
    // The strategy is the peer's, too: its one variable in its one container, and no other.
    const spec = pathOf(await at.object("Deployment", "variable"), "spec", "template", "spec");
    expect(JSON.stringify(spec).split(variable)).toHaveLength(2);
    expect(JSON.stringify(spec)).toContain(`{"name":"${variable}","value":"v1:`);

    const said = product.log.map((line) => line.msg).join("\n");
    for (const flag of ["--sync-after-restart", "--enable-ha", "--enable-pprof"])
      expect(said).toContain(`${flag} true: `);
    expect(await (await fetch(`${await product.healthUrl()}/live`)).text()).toBe("alive");
    expect(await product.stop()).toBe(0);
  });
}
