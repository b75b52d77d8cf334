import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { shippedRightsInNamespaces, without } from "../shipped-rights.ts";
import { auto, reads, Site } from "../site.ts";
import type { World } from "../world.ts";

/** Which namespaces and which sources are served. */
export function scopeTests(world: () => World): void {
  async function site(purpose: string, labels: Readonly<Record<string, string>> = {}): Promise<Site> {
    const at = await Site.make(world().client, purpose, labels);
    await at.configMap("settings", { v: "A" });
    await at.workload("Deployment", "api", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
    return at;
  }

  const change = (at: Site, v: string) => at.change("ConfigMap", "settings", { v });

  test.concurrent("several namespaces need a Role in each; without Secrets no right to them", async () => {
    const [a, b, c] = [await site("scope-a"), await site("scope-b"), await site("scope-c")];
    const withoutSecrets = without("secrets", shippedRightsInNamespaces());
    await a.secret("credentials", { v: "A" });
    await a.workload("Deployment", "reads-secret", {
      annotations: auto,
      spec: reads(["Secret", "credentials"], ["ConfigMap", "settings"]),
    });
    await world().grantIn([a.namespace, b.namespace], withoutSecrets);
    await using product = startProduct({
      kubeconfig: world().limited.kubeconfigPath,
      args: [
        ...["--namespaces", `${a.namespace}, ${b.namespace}`, "--resources-to-ignore", "Secrets"],
        ...["--reload-on-delete", "true"],
      ],
    });
    await product.ready();
    for (const at of [a, b]) await at.adopted("Deployment", "api");
    await a.adopted("Deployment", "reads-secret");
    for (const at of [a, b, c]) await change(at, "B");
    for (const at of [a, b]) await at.settlesAt("Deployment", "api", 1);
    await a.settlesAt("Deployment", "reads-secret", 1, { quietMs: 500 });
    await a.change("Secret", "credentials", { v: "B" });
    await b.remove("ConfigMap", "settings");
    await b.settlesAt("Deployment", "api", 2);
    await a.settlesAt("Deployment", "reads-secret", 1);
    expect(await c.note("Deployment", "api")).toBeUndefined();
    expect(product.output()).not.toContain("forbidden");
  });

  test.concurrent("a namespace is served while its labels match, then caught up; ignored ones never", async () => {
    const team = `t${Math.random().toString(36).slice(2, 8)}`;
    const always = await site("scope-always", { team });
    const ignored = await site("scope-ignored", { team });
    const live = await site("scope-live");
    await using product: Product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: [
        // The quotes are the peer's chart's.
        `--namespace-selector="team in (${team}, other)"`,
        ...["--namespaces-to-ignore", ignored.namespace, "--debounce", "1s"],
      ],
    });
    await product.ready();
    await always.adopted("Deployment", "api");
    for (const at of [always, ignored, live]) await change(at, "B");
    await always.settlesAt("Deployment", "api", 1);
    expect(await ignored.note("Deployment", "api")).toBeUndefined();
    expect(await live.note("Deployment", "api")).toBeUndefined();

    await live.label({ team });
    await live.adopted("Deployment", "api");
    await live.settlesAt("Deployment", "api", 0);
    await change(live, "C");
    await live.settlesAt("Deployment", "api", 1);

    await live.label({ team: null });
    await until("it is told", () => product.log.some(({ msg }) => msg === "namespace no longer served"));
    await change(live, "D");
    await live.settlesAt("Deployment", "api", 1, { quietMs: 4000 });
    await live.label({ team: "other" });
    await live.settlesAt("Deployment", "api", 2);
    expect(await ignored.note("Deployment", "api")).toBeUndefined();
  });

  test.concurrent("a namespace that is made later is served with all that is in it", async () => {
    const team = `t${Math.random().toString(36).slice(2, 8)}`;
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: [`--namespace-selector=team:${team}`, "--debounce", "1s"],
    });
    await product.ready();
    const made = await site("scope-new", { team });
    await made.adopted("Deployment", "api");
    await change(made, "B");
    await made.settlesAt("Deployment", "api", 1);
  });

  test.concurrent("a source counts while its labels match; what it lost meanwhile is compared", async () => {
    const at = await Site.make(world().client, "scope-label");
    await at.configMap("settings", { v: "A" }, { labels: { reload: "yes" } });
    await at.configMap("other", { v: "A" });
    await at.workload("Deployment", "api", {
      annotations: auto,
      spec: reads(["ConfigMap", "settings"], ["ConfigMap", "other"]),
    });
    await using product = startProduct({
      kubeconfig: world().kubeconfigPath,
      args: [
        ...["--namespaces", at.namespace, "--resource-label-selector", "reload=yes", "--debounce", "1s"],
        ...["--reload-on-create=true", "--reload-on-delete=true"],
      ],
    });
    await product.ready();
    await at.adopted("Deployment", "api");
    await at.change("ConfigMap", "other", { v: "B" });
    await at.settlesAt("Deployment", "api", 0);
    await at.change("ConfigMap", "settings", { v: "B" });
    await at.settlesAt("Deployment", "api", 1);

    const label = (value: string | null) =>
      at.patch("ConfigMap", "settings", { metadata: { labels: { reload: value } } });
    await label(null);
    await at.settlesAt("Deployment", "api", 1);
    await label("yes");
    await at.settlesAt("Deployment", "api", 1);
    await label(null);
    await at.change("ConfigMap", "settings", { v: "C" });
    await at.settlesAt("Deployment", "api", 1);
    await label("yes");
    await at.settlesAt("Deployment", "api", 2);
  });
}
