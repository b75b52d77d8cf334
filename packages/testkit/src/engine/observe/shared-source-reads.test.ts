import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { compileForTest } from "@fleet-reloader/domain/fixture/compile-pattern";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { ClusterGate } from "@fleet-reloader/engine/admission/gate/cluster-gate";
import { readInterest } from "@fleet-reloader/engine/observe/interest";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { nothingAhead, SourceReader } from "@fleet-reloader/engine/observe/source-reader";
import type { ClusterApi, LiveSource, LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import { defaultSettings } from "@fleet-reloader/engine/ports/settings";
import { expect, test } from "vitest";
import { CountingMeter } from "../../memory/counting-meter.ts";
import { ManualClock } from "../../memory/manual-clock.ts";

const forever = new AbortController().signal;
const settings = {
  ...defaultSettings,
  dialect: defaultDialect,
  autoReloadAll: false,
  strategy: "annotations",
  debounce: { quietPeriodMs: 0, maxWaitMs: 0 },
} as const;

const patchMs = 5;
const apartMs = 7;
const workloads = 60;
const sources = 40;

function workload(name: string): LiveWorkload {
  const envFrom = Array.from({ length: sources }, (_, at) => ({ configMapRef: { name: `shared-${at}` } }));
  return {
    ...{ ref: { kind: "Deployment", namespace: "ns", name }, uid: name, object: {}, resourceVersion: "1" },
    ...{ generation: 1, annotations: { "reloader.stakater.com/auto": "true" }, templateAnnotations: {} },
    template: { spec: { containers: [{ name: "app", envFrom }] } },
    ...{ createdAtSeconds: 0, templateChangedAtSeconds: 0, writtenAtSeconds: 0 },
    ...{ isPaused: false, isDeleting: false },
  };
}

/** A cluster that answers each read after a few milliseconds. */
function cluster(clock: ManualClock, readMs: number) {
  let reads = 0;
  const readSource = async (ref: SourceRef): Promise<LiveSource> => {
    reads += 1;
    await clock.sleep(readMs, forever);
    return {
      ...{ ref, annotations: {}, labels: {}, createdAtSeconds: 0, writtenAtSeconds: 0 },
      ...{ isModified: false, resourceVersion: "1", content: { data: new Map(), binaryData: new Map() } },
    };
  };
  const unused = () => Promise.reject(new Error("not asked for here"));
  const api: ClusterApi = {
    ...{ cluster: "a", readSource, readSources: unused, readWorkload: unused, listPods: unused },
    ...{ readSourceAnnotations: unused, readNamespaceLabels: unused, listSourceNames: unused },
    ...{ patchWorkload: unused, createWorkload: unused, deleteExactly: unused },
    readWorkloadAnnotations: unused,
  };
  return { api, reads: () => reads };
}

/** A fan-out behind the gate: each workload reads all sources, and is patched. */
async function fanOut({ readMs, mayWait }: { readonly readMs: number; readonly mayWait: boolean }) {
  const clock = new ManualClock();
  const { api, reads } = cluster(clock, readMs);
  const meter = new CountingMeter();
  const names = new NameMatches({ compile: compileForTest, clock });
  const reader = new SourceReader({ settings, names, clock, lifetime: forever });
  const gate = new ClusterGate({
    ...{ slots: 64, clock, meter, random: () => 0, nameOf: (name: string) => name },
    reachOf: () => "reachable" as const,
    probedInMs: () => undefined,
    askedSinceMs: () => undefined,
  });
  const tookMs: number[] = [];
  const handle = async (at: number): Promise<void> => {
    await clock.sleep(at * apartMs, forever);
    const admission = await gate.admit("a", forever);
    if (admission.type !== "go") return;
    const beganAtMs = clock.monotonic();
    const live = workload(`w${at}`);
    const interest = await readInterest(live, settings, names);
    await reader.observe({
      ...{ api, live, interest, appliedText: undefined, applied: undefined },
      ...{ ahead: nothingAhead, mayWait },
    });
    tookMs.push(clock.monotonic() - beganAtMs);
    await clock.sleep(patchMs, forever);
    admission.leave("answered");
  };
  const all = Promise.all(Array.from({ length: workloads }, (_, at) => handle(at)));
  await clock.advance(10_000);
  await all;
  return { reads: reads(), slowestMs: Math.max(...tookMs), failing: meter.count("parked a ClusterFailing") };
}

test("a fan-out over forty sources waits 100 ms in all for shared reads", async () => {
  const alone = await fanOut({ readMs: 5, mayWait: false });
  const shared = await fanOut({ readMs: 5, mayWait: true });
  expect(shared.reads).toBeLessThan(alone.reads / 2);
  expect(shared.slowestMs).toBeLessThanOrEqual(alone.slowestMs + 100);
  expect(shared.failing).toBe(0);
});
