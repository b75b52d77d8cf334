import { togetherMs, whileInTime } from "@fleet-reloader/testkit/in-time";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, laterThanTogether, reads, Site, unhurried } from "../site.ts";
import type { World } from "../world.ts";

/** The scenarios of product.md that end in a known number of new ReplicaSets. Run once per strategy, on a running product. */
export function storyTests(world: () => World): void {
  const site = (purpose: string) => Site.make(world().client, purpose);

  test.concurrent("S1: an optional ConfigMap that appears after the pod rolls the Deployment once", async () => {
    const at = await site("s1");
    await at.workload("Deployment", "catalyst-api", {
      annotations: {
        "configmap.reloader.stakater.com/reload": "sovereign-fqdn",
        "secret.reloader.stakater.com/reload": "handover-jwt-public",
      },
      strategy: { strategy: { type: "Recreate" } },
      spec: optionalKey("sovereign-fqdn", "fqdn"),
    });
    await at.adopted("Deployment", "catalyst-api");
    await laterThanTogether();
    await at.configMap("sovereign-fqdn", { fqdn: "otech62.example" });
    await at.settlesAt("Deployment", "catalyst-api", 1);
    expect(await at.newReplicaSets("catalyst-api")).toBe(1);
  });

  test.concurrent("S1: a ConfigMap applied together with its Deployment does not roll it", async () => {
    await whileInTime(togetherMs, async (inTime) => {
      const at = await site("s1-together");
      inTime();
      const spec = optionalKey("sovereign-fqdn", "fqdn");
      await Promise.all([
        at.workload("Deployment", "catalyst-api", { annotations: auto, spec }),
        at.configMap("sovereign-fqdn", { fqdn: "otech62.example" }),
      ]);
      inTime();
      await at.adopted("Deployment", "catalyst-api");
      await at.settlesAt("Deployment", "catalyst-api", 0, { quietMs: 5000 });
    });
  });

  test.concurrent("S2: a named ConfigMap whose only reference is valueFrom rolls the Deployment", async () => {
    const at = await site("s2");
    await at.configMap("settings", { fqdn: "a" });
    await at.workload("Deployment", "api", {
      annotations: { "configmap.reloader.stakater.com/reload": "settings" },
      spec: optionalKey("settings", "fqdn"),
    });
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "settings", { fqdn: "b" });
    await at.settlesAt("Deployment", "api", 1);
    expect(await at.newReplicaSets("api")).toBe(1);
  });

  test.concurrent("S4: three objects changed within a second cost one restart", async () => {
    const at = await site("s4");
    await at.configMap("one", { a: "1" });
    await at.configMap("two", { a: "1" });
    await at.secret("three", { a: "1" });
    await at.workload("Deployment", "api", {
      annotations: { ...auto, ...unhurried.annotations },
      strategy: { strategy: { type: "Recreate" } },
      spec: reads(["ConfigMap", "one"], ["ConfigMap", "two"], ["Secret", "three"]),
    });
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "one", { a: "2" });
    await at.change("ConfigMap", "two", { a: "2" });
    await at.change("Secret", "three", { a: "2" });
    await at.settlesAt("Deployment", "api", 1, unhurried);
    expect(await at.newReplicaSets("api")).toBe(1);
  });

  test.concurrent("S5: a rotated Secret rolls once; a refresh that writes only metadata does not", async () => {
    const at = await site("s5");
    await at.secret(
      "db-credentials",
      { password: "old" },
      { annotations: { "reconcile.external-secrets.io/data-hash": "1" } },
    );
    await at.workload("StatefulSet", "db", { annotations: auto, spec: reads(["Secret", "db-credentials"]) });
    await at.adopted("StatefulSet", "db");
    await at.patch("Secret", "db-credentials", {
      metadata: { annotations: { "force-sync": "1" }, labels: { refreshed: "yes" } },
    });
    await at.settlesAt("StatefulSet", "db", 0, { quietMs: 4000 });
    await at.change("Secret", "db-credentials", { password: "new" });
    await at.settlesAt("StatefulSet", "db", 1);
  });

  test.concurrent("S6: a renewed certificate rolls once, its two keys together", async () => {
    const at = await site("s6");
    await at.secret("tls", { "tls.crt": "c1", "tls.key": "k1" });
    const volumes = [{ name: "tls", secret: { secretName: "tls" } }];
    const containers = [{ name: "web", image: "web:1", volumeMounts: [{ name: "tls", mountPath: "/tls" }] }];
    await at.workload("DaemonSet", "ingress", {
      annotations: { "secret.reloader.stakater.com/auto": "true" },
      spec: { containers, volumes },
    });
    await at.adopted("DaemonSet", "ingress");
    await at.change("Secret", "tls", { "tls.crt": "c2", "tls.key": "k2" });
    await at.settlesAt("DaemonSet", "ingress", 1);
  });

  test.concurrent("S8: annotate, patch the ConfigMap, the pods are replaced", async () => {
    const at = await site("s8");
    await at.configMap("test-config", { key: "initial" });
    await at.workload("Deployment", "test-app", { spec: reads(["ConfigMap", "test-config"]) });
    await at.patch("Deployment", "test-app", { metadata: { annotations: auto } });
    await at.adopted("Deployment", "test-app");
    await at.change("ConfigMap", "test-config", { key: "updated" });
    await until("a new ReplicaSet", async () => (await at.newReplicaSets("test-app")) === 1);
    await at.settlesAt("Deployment", "test-app", 1);
  });
}

function optionalKey(name: string, key: string): object {
  const env = [{ name: "SOVEREIGN_FQDN", valueFrom: { configMapKeyRef: { name, key, optional: true } } }];
  return { containers: [{ name: "catalyst-api", image: "api:1", env }] };
}
