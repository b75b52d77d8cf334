import { defaultDialect } from "@fleet-reloader/domain/annotation/dialect";
import { compileForTest } from "@fleet-reloader/domain/fixture/compile-pattern";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { readInterest } from "@fleet-reloader/engine/observe/interest";
import { NameMatches } from "@fleet-reloader/engine/observe/name-matches";
import { SourceReader } from "@fleet-reloader/engine/observe/source-reader";
import type { ClusterApi, LiveSource, LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import { defaultSettings } from "@fleet-reloader/engine/ports/settings";
import { expect, test } from "vitest";
import { ManualClock } from "../../memory/manual-clock.ts";
import { wallClock } from "../../wall-clock.ts";

const settings = {
  ...defaultSettings,
  dialect: defaultDialect,
  autoReloadAll: false,
  strategy: "annotations",
  debounce: { quietPeriodMs: 0, maxWaitMs: 0 },
} as const;

function workload(generation: number): LiveWorkload {
  return {
    ref: { kind: "Deployment", namespace: "ns", name: "api" },
    uid: "u",
    object: {},
    resourceVersion: "1",
    generation,
    annotations: { "reloader.stakater.com/auto": "true" },
    templateAnnotations: {},
    template: { spec: { containers: [{ name: "app", envFrom: [{ configMapRef: { name: "settings" } }] }] } },
    createdAtSeconds: 0,
    templateChangedAtSeconds: 0,
    writtenAtSeconds: 0,
    isPaused: false,
    isDeleting: false,
  };
}

/** A cluster whose one ConfigMap has another content each time it is read. */
function cluster(): { readonly api: ClusterApi; readonly readCount: () => number } {
  let reads = 0;
  const readSource = async (ref: SourceRef): Promise<LiveSource> => {
    reads += 1;
    const data = new Map([["read", new TextEncoder().encode(String(reads))]]);
    return {
      ...{ ref, annotations: {}, labels: {}, createdAtSeconds: 0 },
      ...{ writtenAtSeconds: 0, isModified: false, resourceVersion: "1" },
      content: { data, binaryData: new Map() },
    };
  };
  const unused = () => Promise.reject(new Error("not asked for here"));
  const api = {
    cluster: "c1",
    readSource,
    readSources: unused,
    readWorkload: unused,
    readSourceAnnotations: unused,
    readWorkloadAnnotations: unused,
    readNamespaceLabels: unused,
    listPods: unused,
    listSourceNames: unused,
    patchWorkload: unused,
    createWorkload: unused,
    deleteExactly: unused,
  };
  return { api, readCount: () => reads };
}

async function secondObservation(seen: {
  readonly appliedText: string;
  readonly generation: number;
}): Promise<number> {
  const { api, readCount } = cluster();
  const names = new NameMatches({ compile: compileForTest, clock: wallClock });
  const reader = new SourceReader({
    settings,
    names,
    clock: new ManualClock(),
    lifetime: new AbortController().signal,
  });
  const first = workload(1);
  const interest = await readInterest(first, settings, names);
  const cold = reader.readAhead(api, first.ref);
  await reader.observe({
    api,
    live: first,
    interest,
    appliedText: "A",
    applied: undefined,
    ahead: cold,
    mayWait: false,
  });
  expect(readCount()).toBe(1);
  const ahead = reader.readAhead(api, first.ref);
  await reader.observe({
    api,
    live: workload(seen.generation),
    interest,
    appliedText: seen.appliedText,
    applied: undefined,
    ahead,
    mayWait: false,
  });
  return readCount();
}

test("sources are read beside the workload, and not again while it is unchanged", async () => {
  expect(await secondObservation({ appliedText: "A", generation: 1 })).toBe(2);
});

// Without this a worker that read the older content first would roll the workload back to it, for good.
test("sources of a workload that another worker rolled meanwhile are read again", async () => {
  expect(await secondObservation({ appliedText: "B", generation: 2 })).toBe(3);
  expect(await secondObservation({ appliedText: "A", generation: 3 })).toBe(3);
  expect(await secondObservation({ appliedText: "B", generation: 1 })).toBe(3);
});
