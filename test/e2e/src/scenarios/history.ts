import { startSink } from "@fleet-reloader/testkit/http-sink";
import { type Product, startProduct } from "@fleet-reloader/testkit/product";
import { until } from "@fleet-reloader/testkit/until";
import { expect, test } from "vitest";
import { auto, reads, Site, at as valueAt } from "../site.ts";
import type { World } from "../world.ts";

/** What happened, as whoever asks later reads it. */
export function historyTests(world: () => World): void {
  const start = (at: Site, args: readonly string[], env: Readonly<Record<string, string>> = {}): Product =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      args: ["--namespace", at.namespace, "--debounce", "0", ...args],
      env,
    });

  test.concurrent("a change is recorded with its writer, the decision, the action and the outcome", async () => {
    const at = await Site.make(world().client, "story");
    await at.secret("db", { password: "a" });
    const madeSecond = Math.floor(Date.now() / 1000);
    const workload = { annotations: auto, strategy: { replicas: 0 }, spec: reads(["Secret", "db"]) };
    await at.workload("Deployment", "api", workload);
    await using product = start(at, []);
    await product.ready();
    await at.adopted("Deployment", "api");
    const password = Buffer.from("b").toString("base64");
    // managedFields have whole seconds: of two writers in one second nobody knows the last.
    await until("a later second", () => Math.floor(Date.now() / 1000) > madeSecond);
    await writeAs(world(), "external-secrets", at.path("Secret", "db"), { data: { password } });
    await at.settlesAt("Deployment", "api", 1, { quietMs: 500 });

    const story = await until("the rollout has ended", async () => {
      const lines = await historyOf(product, `?namespace=${at.namespace}`);
      return lines.some(({ type }) => type === "outcome") ? lines : undefined;
    });
    const told = story.slice(story.findIndex(({ verdict }) => verdict === "roll") - 1);
    expect(told.map(({ type }) => type)).toEqual(["change", "decision", "action", "outcome"]);
    const [change, decision, action, outcome] = told;
    expect(change).toMatchObject({ v: 1, source: { kind: "Secret", name: "db" } });
    expect(change?.actor).toMatchObject({ manager: "external-secrets", operation: "Update" });
    for (const line of [decision, action, outcome])
      expect(line).toMatchObject({
        workload: { kind: "Deployment", namespace: at.namespace, name: "api" },
        sources: [{ kind: "Secret", name: "db", change: change?.change, reason: "SourceChanged" }],
      });
    expect(action).toMatchObject({ action: "rolled", strategy: "annotations" });
    expect(outcome).toMatchObject({ result: "healthy", reason: "NoPods" });

    expect(await historyOf(product, `?since=${String(action?.id)}&name=api`)).toEqual([outcome]);
    expect(await historyOf(product, "?cluster=nowhere")).toEqual([]);
    const refused = await fetch(`${await historyUrl(product)}?since=yesterday`);
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('since: "yesterday"'),
    ]);
  });

  test.concurrent("a change that matters to no pod is told with the reason why nothing rolls", async () => {
    const at = await Site.make(world().client, "story-no");
    await at.configMap("settings", { used: "a" });
    const configMapKeyRef = { name: "settings", key: "used" };
    const env = [{ name: "USED", valueFrom: { configMapKeyRef } }];
    const spec = { containers: [{ name: "app", image: "app:1", env }] };
    await at.workload("Deployment", "api", { annotations: auto, spec });
    await using product = start(at, []);
    await product.ready();
    await at.adopted("Deployment", "api");
    await writeAs(world(), "kustomize-controller", at.path("ConfigMap", "settings"), {
      data: { unused: "b" },
    });
    const lines = await until("it is told", async () => {
      const found = await historyOf(product, `?namespace=${at.namespace}`);
      const change = found.find(({ actor }) => valueAt(actor, "manager") === "kustomize-controller");
      const no = found.find(({ verdict, sources }) => {
        const [source] = Array.isArray(sources) ? sources : [];
        return verdict === "no" && valueAt(source, "change") === change?.change;
      });
      return change === undefined || no === undefined ? undefined : { no };
    });
    expect(lines.no).toMatchObject({ reason: "ContentUnchanged", workload: { name: "api" } });
    expect(await at.rolls("Deployment", "api")).toBe(0);
  });

  test.concurrent("a failed rollout is a record, an Event, an alert and a metric, with its reason", async () => {
    const at = await Site.make(world().client, "story-failed");
    await at.configMap("settings", { v: "a" });
    const template = { metadata: { labels: { app: "api" } }, spec: reads(["ConfigMap", "settings"]) };
    const spec = { replicas: 1, selector: { matchLabels: { app: "api" } }, template };
    await at.make("Rollout", { metadata: { name: "api", annotations: auto }, spec });
    await using alerts = await startSink();
    await using product = start(at, ["--is-Argo-Rollouts=true"], {
      FLEET_RELOADER_ALERT_ON_FAILURE: "true",
      ALERT_SINK: "raw",
      ALERT_WEBHOOK_URL: alerts.url.href,
    });
    await product.ready();
    await at.adopted("Rollout", "api");
    await at.change("ConfigMap", "settings", { v: "b" });
    await until("it is rolled", () => product.log.some(({ msg }) => msg === "workload rolled"));
    const generation = valueAt(await at.object("Rollout", "api"), "metadata", "generation");
    const status = {
      observedGeneration: String(generation),
      phase: "Degraded",
      message: "RolloutAborted: by analysis",
    };
    await writeAs(world(), "rollouts-controller", `${at.path("Rollout", "api")}/status`, { status });

    const outcome = await until("the rollout has ended", async () =>
      (await historyOf(product, `?namespace=${at.namespace}`)).find(({ type }) => type === "outcome"),
    );
    expect(outcome).toMatchObject({
      result: "failed",
      reason: "RolloutFailed",
      message: "RolloutAborted: by analysis",
    });
    await until("everybody is told", async () => {
      const events = await at.all("Event");
      return (
        alerts.received.length > 0 &&
        events.includes("has failed (RolloutFailed): RolloutAborted: by analysis")
      );
    });
    expect(alerts.received[0]?.body).toContain("its rollout has failed: RolloutFailed.");
    expect(await (await fetch(`${await product.healthUrl()}/metrics`)).text()).toMatch(
      /fleet_reloader_rollouts_total\{[^}]*kind="Rollout",result="failed"\} 1/,
    );
  });
}

/** A write under the name of whoever writes it. */
async function writeAs(world: World, manager: string, path: string, patch: object): Promise<void> {
  const type = "application/merge-patch+json";
  const { status } = await world.client.send("PATCH", `${path}?fieldManager=${manager}`, patch, type);
  expect(status).toBe(200);
}

export async function historyUrl(product: Product): Promise<string> {
  await product.healthUrl();
  return String(product.log.find((line) => line.msg.endsWith("started") && "history" in line)?.history);
}

/** The lines of an export, parsed. */
export async function historyOf(
  product: Product,
  query = "",
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const answer = await fetch(`${await historyUrl(product)}${query}`);
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "application/x-ndjson; charset=utf-8",
  ]);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line));
}
