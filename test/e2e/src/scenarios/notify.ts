import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startSink } from "@fleet-reloader/testkit/http-sink";
import { atBest } from "@fleet-reloader/testkit/in-time";
import { type Product, type ProductOptions, startProduct } from "@fleet-reloader/testkit/product";
import { holds, until } from "@fleet-reloader/testkit/until";
import { describe, expect, test } from "vitest";
import { auto, laterThanTogether, reads, Site, at as valueAt } from "../site.ts";
import type { World } from "../world.ts";

/** What people and machines outside are told of a roll, and that nobody who listens badly disturbs one. */
export function notifyTests(world: () => World): void {
  const start = (at: Site, how: Partial<ProductOptions> = {}): Product =>
    startProduct({
      kubeconfig: world().kubeconfigPath,
      ...how,
      args: ["--namespace", at.namespace, "--debounce", "0", ...(how.args ?? [])],
    });

  describe("notices", () => {
    test.concurrent("a roll is traced with its stages and linked to its change", async () => {
      const at = await siteWithWorkload(world(), "traced");
      await using collector = await startSink();
      await using product = start(at, {
        env: {
          OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url.origin}/otlp/`,
          OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20one",
        },
      });
      await product.ready();
      await at.adopted("Deployment", "api");
      await at.change("ConfigMap", "settings", { v: "B" });
      const body = () => collector.received.map((each) => each.body).join("\n");
      await until("all stages are sent", () =>
        ["change", "roll", "due", "patch"].every((name) => body().includes(`"name":"${name}"`)),
      );
      expect(collector.received[0]?.path).toBe("/otlp/v1/traces");
      expect(collector.received[0]?.headers.authorization).toBe("Bearer one");
      expect(body()).toContain(`ConfigMap/${at.namespace}/settings`);
      expect(body()).toMatch(/"links":\[\{"traceId":"[0-9a-f]{32}","spanId":"[0-9a-f]{16}"\}\]/);
      expect(await product.stop()).toBe(0);
      expect(product.log.filter(({ msg }) => msg?.startsWith("spans"))).toEqual([]);
    });

    test.concurrent("a roll makes one Event, one alert, one webhook call and the peer's metrics", async () => {
      const at = await siteWithWorkload(world(), "notices");
      await using alerts = await startSink();
      await using machine = await startSink();
      await using product = start(at, {
        args: ["--notify-webhook-url", machine.url.href],
        env: {
          ALERT_ON_RELOAD: "true",
          ALERT_SINK: "Slack",
          ALERT_WEBHOOK_URL: alerts.url.href,
          ALERT_ADDITIONAL_INFO: "staging",
          RELOADER_NAMESPACE: at.namespace,
          RELOADER_DEPLOYMENT_NAME: "reloader",
          METRICS_COUNT_BY_NAMESPACE: "enabled",
        },
      });
      await product.ready();
      await at.adopted("Deployment", "api");
      await at.change("ConfigMap", "settings", { v: "B" });
      await at.settlesAt("Deployment", "api", 1, { quietMs: 500 });

      await until(
        "alert and webhook are there",
        () => alerts.received.length + machine.received.length === 2,
      );
      const sentence = `Reloader detected changes in *settings* of type *CONFIGMAP* in namespace *${at.namespace}*. Hence reloaded *api* of type *Deployment* in namespace *${at.namespace}*`;
      expect(JSON.parse(alerts.received[0]?.body ?? "")).toEqual({
        attachments: [{ color: "good", author_name: "Reloader", text: `staging : ${sentence}` }],
      });
      expect(JSON.parse(machine.received[0]?.body ?? "")).toMatchObject({
        version: 1,
        type: "rolled",
        workload: { kind: "Deployment", namespace: at.namespace, name: "api" },
        strategy: "annotations",
        sources: [{ kind: "ConfigMap", namespace: at.namespace, name: "settings", reason: "SourceChanged" }],
      });

      const [event, ...more] = await until("an Event is there", async () => {
        const found = await eventsOf(at, "Reloaded");
        return found.length > 0 ? found : undefined;
      });
      expect(more).toEqual([]);
      expect(event).toMatchObject({
        type: "Normal",
        involvedObject: {
          apiVersion: "apps/v1",
          kind: "Deployment",
          name: "api",
          uid: valueAt(await at.object("Deployment", "api"), "metadata", "uid"),
        },
        source: { component: "reloader-configmaps" },
        count: 1,
      });
      expect(valueAt(event, "message")).toContain("'settings' of type 'CONFIGMAP'");

      const metaInfo = await until("meta-info is there", () => at.object("ConfigMap", "reloader-meta-info"));
      expect(valueAt(metaInfo, "metadata", "labels")).toEqual({
        "reloader.stakater.com/meta-info": "reloader",
      });
      const options = JSON.parse(String(valueAt(metaInfo, "data", "reloaderOptions")));
      expect(options).toMatchObject({ reloadStrategy: "annotations", autoReloadAll: false });
      const deployment = JSON.parse(String(valueAt(metaInfo, "data", "deploymentInfo")));
      expect(deployment).toMatchObject({ name: "reloader", namespace: at.namespace });

      const metrics = await (await fetch(`${await product.healthUrl()}/metrics`)).text();
      for (const line of [
        'reloader_reload_executed_total{success="true"} 1',
        `reloader_reload_executed_total_by_namespace{success="true",namespace="${at.namespace}"} 1`,
        'reloader_action_total{workload_kind="Deployment",result="success"} 1',
        'fleet_reloader_notifications_total{channel="event",result="sent"} 1',
        'fleet_reloader_notifications_total{channel="alert",result="sent"} 1',
        'fleet_reloader_notifications_total{channel="webhook",result="sent"} 1',
      ])
        expect(metrics.split("\n")).toContain(line);
      expect(metrics).toMatch(/^rest_client_requests_total\{code="200",method="PATCH",host="[^"]+"\} \d/m);
      expect(metrics).toMatch(/^reloader_workqueue_depth 0$/m);
      expect(metrics).toMatch(/^reloader_workqueue_latency_seconds_count [1-9]/m);
      expect(await product.stop()).toBe(0);
      expect([alerts.received.length, machine.received.length]).toEqual([1, 1]);
      // Addresses are secrets: they are as good as a password.
      expect(product.output() + JSON.stringify(metaInfo)).not.toContain("hunter2");
    });

    test.concurrent("with a sink that hangs and one that is dead, rolls are made and the end is quick", () =>
      atBest(async () => {
        const at = await siteWithWorkload(world(), "bad-sinks");
        await using hanging = await startSink(() => undefined);
        await using product = start(at, {
          args: ["--notify-webhook-url", "http://127.0.0.1:9/hunter2"],
          env: { ALERT_ON_RELOAD: "true", ALERT_WEBHOOK_URL: hanging.url.href },
        });
        await product.ready();
        await at.adopted("Deployment", "api");
        for (const [rolls, v] of ["B", "C", "D"].entries()) {
          await at.change("ConfigMap", "settings", { v });
          await at.settlesAt("Deployment", "api", rolls + 1, { quietMs: 100 });
        }
        await until("the sink was tried", () => hanging.received.length > 0);
        const begun = performance.now();
        expect(await product.stop()).toBe(0);
        expect(performance.now() - begun).toBeLessThan(10_000);
        expect(product.output()).not.toContain("hunter2");
      }));

    test.concurrent("a failing roll is one Event, one alert and one call, though it is tried again", async () => {
      const at = await Site.make(world().client, "failure");
      const env = [{ name: "V", valueFrom: { configMapKeyRef: { name: "late", key: "v", optional: true } } }];
      const spec = { containers: [{ name: "app", image: "app:1", env }] };
      await at.workload("Deployment", "api", { annotations: auto, spec });
      await using alerts = await startSink();
      await using machine = await startSink();
      await using product = start(at, {
        args: ["--alert-on-failure", "--notify-webhook-url", machine.url.href],
        env: { ALERT_WEBHOOK_URL: alerts.url.href },
      });
      await product.ready();
      await at.adopted("Deployment", "api");
      // No room is left for a longer note, so the API server refuses the write of the roll.
      await fillAnnotations(at, "api");
      await laterThanTogether();
      await at.configMap("late", { v: "A" });
      const [event] = await until("an Event is there", async () => {
        const found = await eventsOf(at, "ReloadFail");
        return found.length > 0 ? found : undefined;
      });
      expect(event).toMatchObject({ type: "Warning", involvedObject: { kind: "Deployment", name: "api" } });
      expect(valueAt(event, "message")).toContain("kube.rejected");
      await until("it is told", () => alerts.received.length + machine.received.length === 2);
      expect(alerts.received[0]?.body).toContain(
        `could not reload api of type Deployment in namespace ${at.namespace}: kube.rejected`,
      );
      expect(JSON.parse(machine.received[0]?.body ?? "")).toMatchObject({
        type: "failed",
        fault: { code: "kube.rejected", message: expect.stringContaining("annotations") },
      });
      await until("it is tried again", () => {
        return product.log.filter((line) => line.reason === "kube.rejected").length > 1;
      });
      expect([alerts.received.length, machine.received.length]).toEqual([1, 1]);

      await at.patch("Deployment", "api", { metadata: { annotations: { filler: null } } });
      await until("the roll that was made in the end is told", () =>
        machine.received.some(({ body }) => JSON.parse(body).type === "rolled"),
      );
    });

    test.concurrent("with --webhook-url each change is sent in the peer's words, and nothing rolls", async () => {
      const at = await siteWithWorkload(world(), "webhook-mode");
      await at.secret("unused", { v: "A" });
      await using sink = await startSink();
      const dataDir = mkdtempSync(join(tmpdir(), "fr-telling-"));
      const how = { dataDir, args: ["--webhook-url", sink.url.href] };
      try {
        await using product = start(at, how);
        await product.ready();
        await at.patch("ConfigMap", "settings", { metadata: { annotations: { a: "b" } } });
        await at.change("Secret", "unused", { v: "B" });
        await until("the change is told", () => sink.received.length === 1);
        expect(sink.received[0]?.body).toBe('{"webhook":"update successful"}');
        expect(sink.received[0]?.headers["content-type"]).toBe("application/json");
        expect(await product.stop()).toBe(0);

        // Made while nobody watches; what was told before is not told again.
        await at.change("ConfigMap", "settings", { v: "B" });
        await using again = start(at, how);
        await again.ready();
        await until("that one is told", () => sink.received.length === 2);
        await holds("no more is told", 2000, () => sink.received.length === 2);
        expect([await at.rolls("Deployment", "api"), await at.note("Deployment", "api")]).toEqual([
          0,
          undefined,
        ]);
        expect(product.output() + again.output()).not.toContain("hunter2");
      } finally {
        rmSync(dataDir, { recursive: true, force: true });
      }
    });

    test.concurrent("an unreadable annotation is told at its workload, once", async () => {
      const at = await siteWithWorkload(world(), "unreadable-event", {
        "fleet-reloader.io/debounce": "soon",
      });
      await using product = start(at);
      await product.ready();
      const [event] = await until("an Event is there", async () => {
        const found = await eventsOf(at, "AnnotationUnreadable");
        return found.length > 0 ? found : undefined;
      });
      expect(event).toMatchObject({ type: "Warning", involvedObject: { kind: "Deployment", name: "api" } });
      const message = String(valueAt(event, "message"));
      for (const part of ["fleet-reloader.io/debounce", '"soon"', "30s"]) expect(message).toContain(part);
      await at.adopted("Deployment", "api");
      for (const [rolls, v] of ["B", "C"].entries()) {
        await at.change("ConfigMap", "settings", { v });
        await at.settlesAt("Deployment", "api", rolls + 1, { quietMs: 100 });
      }
      await until("the rolls are told", async () => (await eventsOf(at, "Reloaded")).length > 0);
      await holds("no more is said of the annotation", 1000, async () => {
        const found = await eventsOf(at, "AnnotationUnreadable");
        return found.length === 1 && valueAt(found[0], "count") === 1;
      });
    });
  });
}

async function siteWithWorkload(world: World, purpose: string, annotations = {}): Promise<Site> {
  const at = await Site.make(world.client, purpose);
  await at.configMap("settings", { v: "A" });
  await at.workload("Deployment", "api", {
    annotations: { ...auto, ...annotations },
    spec: reads(["ConfigMap", "settings"]),
  });
  return at;
}

/** As many annotations as the API server takes for one object. */
async function fillAnnotations(at: Site, deployment: string): Promise<void> {
  const annotations = valueAt(await at.object("Deployment", deployment), "metadata", "annotations");
  const bytes = Object.entries(annotations ?? {}).reduce(
    (sum, [key, value]) => sum + key.length + value.length,
    0,
  );
  const filler = "x".repeat(256 * 1024 - bytes - "filler".length);
  await at.patch("Deployment", deployment, { metadata: { annotations: { filler } } });
}

async function eventsOf(at: Site, reason: string): Promise<readonly unknown[]> {
  const items = valueAt(JSON.parse(await at.all("Event")), "items");
  return (Array.isArray(items) ? items : []).filter((item) => valueAt(item, "reason") === reason);
}
