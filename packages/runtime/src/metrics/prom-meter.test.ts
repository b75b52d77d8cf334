import { describe, expect, test } from "vitest";
import { ownMetrics } from "./own-metrics.ts";
import { peerMetricDescriptions } from "./peer-metrics.ts";
import { createPromMeter } from "./prom-meter.ts";

const api = { kind: "Deployment", namespace: "shop", name: "api" };
const linesOf = async (page: Promise<string>) => (await page).split("\n");

describe("the peer's metrics", () => {
  test("reloads are there at 0 before the first one", async () => {
    const { metrics } = createPromMeter({ withProcess: false });
    const lines = await linesOf(metrics());
    for (const success of ["true", "false"])
      expect(lines).toContain(`reloader_reload_executed_total{success="${success}"} 0`);
  });

  test("a roll, an attempt that failed, and looks that led to nothing", async () => {
    const { meter, metrics } = createPromMeter({ withProcess: false });
    meter.rolled("c1", api, ["SourceChanged", "SourceChanged"]);
    meter.reconciled("c1", "rolled", 0.03, api);
    meter.reconciled("c1", "retry", 0.03, api);
    meter.rollFailed("c1", api);
    meter.reconciled("c1", "unchanged", 0.03, api);
    meter.reconciled("c1", "ignored", 0.03, api);
    const lines = await linesOf(metrics());
    for (const line of [
      'reloader_reload_executed_total{success="true"} 1',
      'reloader_reload_executed_total{success="false"} 1',
      'reloader_reconcile_total{result="success"} 1',
      'reloader_reconcile_total{result="error"} 1',
      'reloader_reconcile_total{result="skipped"} 2',
      'reloader_reconcile_duration_seconds_bucket{le="0.05",result="success"} 1',
      'reloader_action_total{workload_kind="Deployment",result="success"} 1',
      'reloader_action_total{workload_kind="Deployment",result="error"} 1',
      'reloader_action_latency_seconds_bucket{le="60",workload_kind="Deployment"} 1',
      'reloader_skipped_total{reason="no_data_change"} 1',
      'reloader_skipped_total{reason="ignored_or_not_selected"} 1',
      'reloader_errors_total{type="handler_error"} 1',
      "reloader_retries_total 1",
      'reloader_workloads_scanned_total{kind="Deployment"} 3',
      'reloader_workloads_matched_total{kind="Deployment"} 1',
    ])
      expect(lines).toContain(line);
  });

  // Stakater Reloader only writes where a roll is due, and counts nothing else.
  test("a request that ended with a fault while no roll was due is no reload that failed", async () => {
    const { meter, metrics } = createPromMeter({ withProcess: false });
    for (const result of ["retry", "dropped", "delayed"] as const) meter.reconciled("c1", result, 0.03, api);
    const lines = await linesOf(metrics());
    expect(lines).toContain('reloader_reconcile_total{result="error"} 3');
    expect(lines).toContain('reloader_reload_executed_total{success="false"} 0');
    expect(lines.filter((line) => /^reloader_(action|errors)_total\{/.test(line))).toEqual([]);
  });

  test("a roll that lacks a right has failed, though its request only waits", async () => {
    const { meter, metrics } = createPromMeter({ withProcess: false, countByNamespace: true });
    meter.rollFailed("c1", api);
    meter.reconciled("c1", "delayed", 0.03, api);
    const lines = await linesOf(metrics());
    for (const line of [
      'reloader_reload_executed_total{success="false"} 1',
      'reloader_reload_executed_total_by_namespace{success="false",namespace="shop"} 1',
      'reloader_action_total{workload_kind="Deployment",result="error"} 1',
      'reloader_errors_total{type="handler_error"} 1',
      "reloader_retries_total 0",
    ])
      expect(lines).toContain(line);
  });

  test("a conflict is an attempt that failed, under a result of its own in our metrics", async () => {
    const { meter, metrics } = createPromMeter({ withProcess: false });
    meter.reconciled("c1", "conflict", 0.03, api);
    const lines = await linesOf(metrics());
    expect(lines).toContain("reloader_retries_total 1");
    expect(lines).toContain('fleet_reloader_reconcile_seconds_count{cluster="c1",result="conflict"} 1');
  });

  test("a roll counts once, also where its Job is still being deleted", async () => {
    const { meter, metrics } = createPromMeter({ withProcess: false });
    const job = { ...api, kind: "Job" };
    meter.rolled("c1", job, ["SourceChanged"]);
    for (const result of ["held", "held", "recorded"] as const) meter.reconciled("c1", result, 0.03, job);
    const lines = await linesOf(metrics());
    expect(lines).toContain('reloader_reload_executed_total{success="true"} 1');
    expect(lines).toContain('reloader_action_total{workload_kind="Job",result="success"} 1');
    expect(lines).toContain('reloader_workloads_matched_total{kind="Job"} 1');
  });

  test("a roll that a brake holds is no error", async () => {
    const { meter, metrics } = createPromMeter({ withProcess: false });
    meter.reconciled("c1", "held", 0.03, api);
    const lines = (await linesOf(metrics())).filter((line) => line.startsWith("reloader_"));
    expect(lines).toContain('reloader_reconcile_total{result="skipped"} 1');
    expect(lines.filter((line) => line.includes('"error"') || line.startsWith("reloader_errors"))).toEqual(
      [],
    );
    meter.reconciled("c1", "delayed", 0.03, api);
    expect(await linesOf(metrics())).toContain('reloader_reconcile_total{result="error"} 1');
  });

  test("sources by how they came, under the names of resources", async () => {
    const { meter, metrics } = createPromMeter({ withProcess: false });
    meter.sourcesSeen("c1", "ConfigMap", 3, "listed");
    meter.sourcesSeen("c1", "ConfigMap", 1, "created");
    meter.sourcesSeen("c1", "Secret", 2, "changed");
    meter.sourcesSeen("c1", "Secret", 1, "deleted");
    meter.sourcesCompared("c1", "Secret", 2);
    meter.sourcesSeen("c1", "SecretProviderClass", 4, "changed");
    const lines = await linesOf(metrics());
    for (const line of [
      'reloader_events_received_total{event_type="add",resource_type="configmaps"} 4',
      'reloader_events_received_total{event_type="update",resource_type="secrets"} 2',
      'reloader_events_received_total{event_type="update",resource_type="secretproviderclasspodstatuses"} 4',
      'reloader_events_received_total{event_type="delete",resource_type="secrets"} 1',
      'reloader_events_processed_total{event_type="unknown",resource_type="secrets",result="success"} 2',
    ])
      expect(lines).toContain(line);
  });

  test("names of namespaces only for those who ask for them", async () => {
    for (const countByNamespace of [false, true]) {
      const { meter, metrics } = createPromMeter({ withProcess: false, countByNamespace });
      meter.rolled("c1", api, ["SourceChanged"]);
      const isThere = (await metrics()).includes(
        'reloader_reload_executed_total_by_namespace{success="true",namespace="shop"} 1',
      );
      expect(isThere).toBe(countByNamespace);
      expect((await metrics()).includes("shop")).toBe(countByNamespace);
    }
  });

  test("requests to API servers: a watch counts and has no duration", async () => {
    const { adapters, metrics } = createPromMeter({ withProcess: false });
    adapters.requested({ method: "GET", host: "a:6443", code: "200", seconds: 0.004 });
    adapters.requested({ method: "GET", host: "a:6443", code: "200", seconds: undefined });
    adapters.requested({ method: "PATCH", host: "a:6443", code: "<error>", seconds: 1 });
    const lines = await linesOf(metrics());
    for (const line of [
      'rest_client_requests_total{code="200",method="GET",host="a:6443"} 2',
      'rest_client_requests_total{code="<error>",method="PATCH",host="a:6443"} 1',
      'rest_client_request_duration_seconds_count{verb="GET",host="a:6443"} 1',
      'rest_client_request_duration_seconds_bucket{le="0.01",verb="GET",host="a:6443"} 1',
    ])
      expect(lines).toContain(line);
  });

  test("the depth of the queue, and the page all the same when Redis does not answer", async () => {
    const { adapters, metrics } = createPromMeter({ withProcess: false });
    adapters.watchQueue(async () => 7);
    expect(await linesOf(metrics())).toContain("reloader_workqueue_depth 7");
    adapters.watchQueue(() => new Promise(() => undefined));
    expect(await linesOf(metrics())).toContain("reloader_workqueue_depth 7");
    adapters.watchQueue(() => Promise.reject(new Error("gone")));
    expect(await linesOf(metrics())).toContain("reloader_workqueue_depth 7");
  });
});

test("whether Redis answers is shown as it is when the metrics are read", async () => {
  const { adapters, metrics } = createPromMeter({ withProcess: false });
  let isReachable = true;
  adapters.watchRedis(() => isReachable);
  expect(await linesOf(metrics())).toContain("fleet_reloader_redis_reachable 1");
  isReachable = false;
  expect(await linesOf(metrics())).toContain("fleet_reloader_redis_reachable 0");
});

test("workloads that are waited for are counted, and forgotten with their cluster", async () => {
  const { meter, metrics } = createPromMeter({ withProcess: false });
  const shown = async () =>
    (await linesOf(metrics())).filter((line) => line.startsWith("fleet_reloader_workloads_unlooked"));
  meter.workloadsUnreconciled("c1", 3);
  expect(await shown()).toEqual(['fleet_reloader_workloads_unlooked{cluster="c1"} 3']);
  meter.workloadsUnreconciled("c1", 0);
  expect(await shown()).toEqual(['fleet_reloader_workloads_unlooked{cluster="c1"} 0']);
  meter.workloadsUnreconciled("c1", undefined);
  expect(await shown()).toEqual([]);
});

test.each(["absent", "stopped"] as const)("a stream that is %s has no series", async (state) => {
  const { meter, metrics } = createPromMeter({ withProcess: false });
  const shown = async () =>
    (await linesOf(metrics())).filter((line) => line.startsWith("fleet_reloader_stream_in_sync"));
  meter.streamState("c1", "Rollout", "absent");
  meter.streamState("c1", "Secret", "listing");
  expect(await shown()).toEqual(['fleet_reloader_stream_in_sync{cluster="c1",resource="Secret"} 0']);
  for (const resource of ["Rollout", "Secret"]) meter.streamState("c1", resource, state);
  expect(await shown()).toEqual([]);
});

test("findings of audits are there at 0 once a workload of the kind was looked at", async () => {
  const { meter, metrics } = createPromMeter({ withProcess: false });
  const name = 'fleet_reloader_audit_findings_total{cluster="c1",kind="Deployment"}';
  meter.reconciled("c1", "recorded", 0.03, api);
  expect(await linesOf(metrics())).toContain(`${name} 0`);
  meter.auditFound("c1", "Deployment");
  meter.reconciled("c1", "unchanged", 0.03, api);
  expect(await linesOf(metrics())).toContain(`${name} 1`);
});

test("missed hints of a cluster are there at 0 once they are counted", async () => {
  const { meter, metrics } = createPromMeter({ withProcess: false });
  meter.hintsMissed("c1", 0);
  expect(await linesOf(metrics())).toContain('fleet_reloader_hints_missed_total{cluster="c1"} 0');
});

test("each stage of a change is measured by itself", async () => {
  const { meter, metrics } = createPromMeter({ withProcess: false });
  meter.stageReached("c1", "taken", 2);
  meter.stageReached("c1", "patched", 0.2);
  const lines = await linesOf(metrics());
  for (const line of [
    'fleet_reloader_stage_seconds_bucket{le="2.5",cluster="c1",stage="taken"} 1',
    'fleet_reloader_stage_seconds_bucket{le="1",cluster="c1",stage="taken"} 0',
    'fleet_reloader_stage_seconds_sum{cluster="c1",stage="patched"} 0.2',
  ])
    expect(lines).toContain(line);
});

test("what alerts watch rise is there at 0 before the first one", async () => {
  const { meter, metrics } = createPromMeter({ withProcess: false });
  meter.clusterState("c1", "Ready");
  meter.reconciled("c1", "unchanged", 0.03, api);
  meter.rolled("c1", api, ["SourceChanged"]);
  meter.notified("alert", "sent", 1);
  const lines = await linesOf(metrics());
  for (const series of [
    'fleet_reloader_rollouts_total{cluster="c1",kind="Deployment",result="failed"}',
    'fleet_reloader_rollouts_total{cluster="c1",kind="Deployment",result="stalled"}',
    'fleet_reloader_holds_total{cluster="c1",reason="SourceLooping"}',
    'fleet_reloader_holds_total{cluster="c1",reason="WorkloadLooping"}',
    'fleet_reloader_notifications_total{channel="alert",result="dropped"}',
    'fleet_reloader_notifications_total{channel="alert",result="failed"}',
    'fleet_reloader_history_total{result="dropped"}',
    'fleet_reloader_state_lost_total{cluster="c1"}',
    'fleet_reloader_audit_findings_total{cluster="c1",kind="Deployment"}',
  ])
    expect(lines).toContain(`${series} 0`);
});

test("what is described is there, and what is there is described", async () => {
  const { metrics } = createPromMeter({ withProcess: false, countByNamespace: true });
  const registered = [...(await metrics()).matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  const described = [ownMetrics, peerMetricDescriptions].flatMap((all) => Object.keys(all));
  expect(registered.toSorted()).toEqual(described.toSorted());
});

test("a cluster that is gone has no series any more, and the others keep theirs", async () => {
  const { meter, metrics } = createPromMeter({ withProcess: false });
  for (const cluster of ["gone", "here"]) {
    meter.clusterState(cluster, "Ready");
    meter.streamState(cluster, "Deployment", "watching");
    meter.reconciled(cluster, "rolled", 0.03, api);
    meter.rolled(cluster, api, ["SourceChanged"]);
    meter.parked(cluster, "ClusterBusy");
    meter.breaker(cluster, true);
  }
  const seriesOf = async (cluster: string) =>
    (await linesOf(metrics())).filter((line) => line.includes(`cluster="${cluster}"`));
  const kept = await seriesOf("here");
  expect(kept.length).toBeGreaterThan(15);
  meter.clusterState("gone", undefined);
  expect(await seriesOf("gone")).toEqual([]);
  // It was under way when the registration was removed.
  meter.reconciled("gone", "delayed", 0.03, api);
  expect(await seriesOf("gone")).toEqual([]);
  expect(await seriesOf("here")).toEqual(kept);
  meter.clusterState("gone", "Connecting");
  meter.parked("gone", "ClusterBusy");
  // Its state, its losses at 0, and its parked requests.
  expect(await seriesOf("gone")).toHaveLength(3);
});
