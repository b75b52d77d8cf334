import { mkdirSync, mkdtempSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiClient } from "@fleet-reloader/testkit/api-client";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { type SimCluster, startSimCluster } from "@fleet-reloader/testkit/sim-api/cluster";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site } from "../site.ts";

/** Each roll is waited for several times over. */
/** Simulated clusters speak plain HTTP. */
const quick = ["--debounce", "200ms", "--allow-loopback-http"] as const;
const settled = { quietMs: 600 } as const;

/** Clusters that are registered while the product runs. */
export function registrationTests(): void {
  test.concurrent("S10: a folder to come, a half-written file, a second cluster, one that goes", async () => {
    await using first = await startSimCluster({ name: "first" });
    await using second = await startSimCluster({ name: "second" });
    using home = temporaryFolder();
    const folder = join(home.path, "kubeconfigs");
    const [one, two] = [await appOn(first), await appOn(second)];
    await using product = startProduct({ kubeconfig: "", args: ["--kubeconfig-dir", folder, ...quick] });

    expect((await ask(product, "live")).status).toBe(200);
    await until("the folder is missed", async () => {
      const { status, body } = await ask(product, "ready");
      return status === 503 && body.includes(`--kubeconfig-dir ${folder}: there is no such folder yet`);
    });

    mkdirSync(folder);
    writeFileSync(join(folder, "8f1c.yaml"), first.kubeconfig());
    await rollsOnce(one, "B");
    await product.ready();

    writeFileSync(join(folder, "d07a.yaml"), second.kubeconfig().slice(0, 120));
    await until("it is told what is wrong, and readiness kept", async () => {
      const { status, body } = await ask(product, "ready");
      return status === 200 && body.includes(`note: cluster d07a is unusable: file ${folder}/d07a.yaml: `);
    });
    writeFileSync(join(folder, "d07a.tmp"), second.kubeconfig());
    renameSync(join(folder, "d07a.tmp"), join(folder, "d07a.yaml"));
    await rollsOnce(two, "B");

    // A bad neighbour, and one that goes, leave the other alone.
    writeFileSync(join(folder, "d07a.yaml"), "users: [");
    await until("that is told", async () => (await ask(product, "ready")).body.includes("d07a is unusable"));
    await two.at.change("ConfigMap", "settings", { v: "C" });
    await two.at.settlesAt("Deployment", "app", 2, settled);
    unlinkSync(join(folder, "d07a.yaml"));
    await until("it is gone", () => product.log.some(({ msg }) => msg === "cluster is no longer registered"));
    await until("and its metrics", async () => {
      const { body } = await ask(product, "metrics");
      return body.includes('cluster="8f1c"') && !body.includes('cluster="d07a"');
    });
    await one.at.change("ConfigMap", "settings", { v: "C" });
    await one.at.settlesAt("Deployment", "app", 2, settled);

    for (const { token } of [first, second]) expect(product.output()).not.toContain(token);
    expect(await product.stop()).toBe(0);
  });

  test.concurrent("the same cluster by a file, by Argo CD and by Cluster API is one, and rolls once", async () => {
    await using hub = await startSimCluster({ name: "hub" });
    await using cluster = await startSimCluster({ name: "workloads" });
    using home = temporaryFolder();
    const app = await appOn(cluster);
    writeFileSync(join(home.path, "hub"), hub.kubeconfig());
    const folder = join(home.path, "kubeconfigs");
    mkdirSync(folder);
    writeFileSync(join(folder, "by-file.yaml"), cluster.kubeconfig());
    hub.apply(
      secret(
        "argocd",
        "cluster-a",
        { "argocd.argoproj.io/secret-type": "cluster" },
        {
          name: "by-argocd",
          server: `${cluster.url}/`,
          config: JSON.stringify({ bearerToken: cluster.token }),
        },
      ),
    );
    hub.apply(
      secret(
        "clusters",
        "by-capi-kubeconfig",
        { "cluster.x-k8s.io/cluster-name": "by-capi" },
        {
          value: cluster.kubeconfig(),
        },
      ),
    );
    await using product = startProduct({
      kubeconfig: join(home.path, "hub"),
      args: [
        ...["--kubeconfig-dir", folder, "--argocd-clusters", "--cluster-secrets=cluster-api=clusters"],
        ...["--serve-hub=false", ...quick],
      ],
    });
    await product.ready();
    const metrics = () => ask(product, "metrics").then(({ body }) => body);
    for (const provider of ["directory", "argocd", "cluster-api"]) {
      await until(`${provider} has told of it`, async () =>
        (await metrics()).includes(`fleet_reloader_registrations{provider="${provider}",state="usable"} 1`),
      );
    }
    await rollsOnce(app, "B");
    const watched = [...(await metrics()).matchAll(/^fleet_reloader_stream_in_sync\{cluster="([^"]*)"/gm)];
    expect(new Set(watched.map(([, name]) => name)).size).toBe(1);
    // One watch of Deployments, whoever registered it.
    expect(cluster.requestCount("watch", "deployments").requests).toBe(1);
    for (const { token } of [hub, cluster]) expect(product.output()).not.toContain(token);
    expect(await product.stop()).toBe(0);
  });

  test.concurrent("a rotated Cluster API Secret, a cluster Argo CD skips, one with one namespace", async () => {
    await using hub = await startSimCluster({ name: "hub" });
    await using rotated = await startSimCluster({ name: "rotated" });
    await using skipped = await startSimCluster({ name: "skipped" });
    await using shared = await startSimCluster({ name: "shared" });
    using home = temporaryFolder();
    writeFileSync(join(home.path, "hub"), hub.kubeconfig());
    const [app, paused, ours, theirs] = [
      await appOn(rotated),
      await appOn(skipped),
      await appOn(shared),
      await appOn(shared),
    ];
    const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"], namespaces: [ours.at.namespace] }];
    const argoSecret = (
      name: string,
      server: string,
      token: string,
      more: Readonly<Record<string, string>> = {},
    ) =>
      secret(
        "argocd",
        name,
        { "argocd.argoproj.io/secret-type": "cluster" },
        {
          ...{ name, server, config: JSON.stringify({ bearerToken: token }), ...more },
        },
      );
    const capiSecret = (token: string) =>
      secret(
        "clusters",
        "rotated-kubeconfig",
        { "cluster.x-k8s.io/cluster-name": "rotated" },
        {
          value: rotated.kubeconfig("robot").replace(/token: .*/, `token: ${token}`),
        },
      );
    const robot = rotated.addUser("robot");
    hub.apply(capiSecret(robot));
    hub.apply(argoSecret("skipped", skipped.url, skipped.token));
    hub.apply(
      argoSecret("shared", shared.url, shared.addUser("tenant", rules), { namespaces: ours.at.namespace }),
    );
    await using product = startProduct({
      kubeconfig: join(home.path, "hub"),
      args: ["--argocd-clusters", "--cluster-secrets=cluster-api=clusters", "--serve-hub=false", ...quick],
    });
    await Promise.all([rollsOnce(app, "B"), rollsOnce(paused, "B"), rollsOnce(ours, "B")]);
    await product.ready();
    await theirs.at.change("ConfigMap", "settings", { v: "B" });

    const newer = rotated.addUser("robot", undefined, "newer-token");
    hub.apply(capiSecret(newer));
    await app.at.change("ConfigMap", "settings", { v: "C" });
    await app.at.settlesAt("Deployment", "app", 2, settled);

    const skip = (value: string) =>
      hub.patch("Secret", "argocd", "skipped", {
        metadata: { annotations: { "argocd.argoproj.io/skip-reconcile": value } },
      });
    skip("true");
    await until("it is paused", async () => (await ask(product, "ready")).body.includes("skipped is paused"));
    await until("nobody watches it", () => skipped.openWatches === 0);
    await paused.at.change("ConfigMap", "settings", { v: "C" });
    await paused.at.settlesAt("Deployment", "app", 1, settled);
    skip("false");
    await paused.at.settlesAt("Deployment", "app", 2, settled);

    expect(await theirs.at.rolls("Deployment", "app")).toBe(0);
    for (const token of [robot, newer, skipped.token]) expect(product.output()).not.toContain(token);
    expect(await product.stop()).toBe(0);
  });
}

interface App {
  readonly at: Site;
}

async function appOn(cluster: SimCluster): Promise<App> {
  const at = await Site.make(new ApiClient({ url: cluster.url, token: cluster.token }), "registered");
  await at.configMap("settings", { v: "A" });
  await at.workload("Deployment", "app", { annotations: auto, spec: reads(["ConfigMap", "settings"]) });
  return { at };
}

async function rollsOnce({ at }: App, value: string): Promise<void> {
  await at.adopted("Deployment", "app");
  await at.change("ConfigMap", "settings", { v: value });
  await at.settlesAt("Deployment", "app", 1, settled);
}

async function ask(
  product: Product,
  page: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const answer = await fetch(`${await product.healthUrl()}/${page}`);
  return { status: answer.status, body: await answer.text() };
}

function secret(
  namespace: string,
  name: string,
  labels: object,
  content: Readonly<Record<string, string>>,
): object {
  const data = Object.fromEntries(
    Object.entries(content).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  return { apiVersion: "v1", kind: "Secret", metadata: { namespace, name, labels }, data };
}

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "fr-registration-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
