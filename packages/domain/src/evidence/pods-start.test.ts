import { describe, expect, test } from "vitest";
import { isPodOf, podsStart, runningPods } from "./pods-start.ts";

const text = (seconds: number) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
const running = (at: number) => ({ state: { running: { startedAt: text(at) } } });
const waiting = { state: { waiting: { reason: "CreateContainerConfigError" } } };
const terminated = { state: { terminated: { finishedAt: text(150) } } };
const completed = (at: number) => ({
  state: { terminated: { exitCode: 0, startedAt: text(at), finishedAt: text(at + 1) } },
});

interface PodOptions {
  readonly label?: Readonly<Record<string, string>>;
  readonly phase?: string;
  readonly deletionTimestamp?: string;
  readonly initContainerStatuses?: readonly object[];
}

function pod(made: number, containerStatuses: readonly object[], options: PodOptions = {}): object {
  const { label = { "pod-template-hash": "one" }, phase = "Running", ...others } = options;
  const { initContainerStatuses = [], ...metadata } = others;
  return {
    metadata: { creationTimestamp: text(made), labels: { app: "app", ...label }, ...metadata },
    status: {
      phase,
      ...(initContainerStatuses.length === 0 ? {} : { initContainerStatuses }),
      ...(containerStatuses.length === 0 ? {} : { containerStatuses }),
    },
  };
}

const second = { label: { "pod-template-hash": "two" } };

describe("the pods of a workload", () => {
  test("tell nothing when there are none", () => {
    expect(podsStart([])).toBeUndefined();
  });

  // The clock of a node may be ahead or behind.
  test("started two seconds around what their node says", () => {
    expect(podsStart([pod(100, [running(110)])])).toEqual({ notBefore: 108, notAfter: 112 });
  });

  test("did not start before they were made, whatever their node says", () => {
    expect(podsStart([pod(100, [running(101)])])).toEqual({ notBefore: 100, notAfter: 103 });
    expect(podsStart([pod(100, [running(40)])])).toEqual({ notBefore: 100, notAfter: 100 });
  });

  test("started when the first container of the first of them did", () => {
    const pods = [pod(100, [running(130), running(120)]), pod(101, [running(140)])];
    expect(podsStart(pods)).toEqual({ notBefore: 118, notAfter: 122 });
  });

  // A restarted container has read its variables again.
  test("count from the start of the container that runs now", () => {
    expect(podsStart([pod(100, [running(900)])])).toEqual({ notBefore: 898, notAfter: 902 });
  });

  test.each([
    ["wait", waiting],
    ["have ended and are about to start again", terminated],
  ])("read what will be there when they start, while they %s", (_, status) => {
    const never = Number.POSITIVE_INFINITY;
    expect(podsStart([pod(100, [status])])).toEqual({ notBefore: never, notAfter: never });
    expect(podsStart([pod(100, [status]), pod(100, [running(110)])])).toEqual({
      notBefore: 108,
      notAfter: 112,
    });
  });

  // It read the content at its start, and the other containers use what it made of that.
  test.each([
    ["an init container has", completed(102)],
    ["a sidecar has", running(102)],
  ])("may have read what was there when %s, whatever started again since", (_, early) => {
    const again = pod(100, [running(900)], { initContainerStatuses: [early] });
    expect(podsStart([again])).toEqual({ notBefore: 100, notAfter: 902 });
    const waits = pod(100, [waiting], { initContainerStatuses: [early] });
    expect(podsStart([waits])).toEqual({ notBefore: 100, notAfter: Number.POSITIVE_INFINITY });
  });

  test("have read nothing yet while their init containers wait", () => {
    const never = Number.POSITIVE_INFINITY;
    const waits = pod(100, [waiting], { initContainerStatuses: [waiting] });
    expect(podsStart([waits])).toEqual({ notBefore: never, notAfter: never });
  });

  test("may have started since they were made when they say nothing of their containers", () => {
    expect(podsStart([pod(100, [])])).toBeUndefined();
    expect(podsStart([pod(100, []), pod(100, [running(110)])])).toEqual({ notBefore: 100, notAfter: 112 });
  });

  test("of an older template are about to go and say nothing", () => {
    const old = pod(100, [running(110)]);
    expect(podsStart([old, pod(200, [running(210)], second)])).toEqual({ notBefore: 208, notAfter: 212 });
    expect(podsStart([pod(200, [waiting], second), old])?.notBefore).toBe(Number.POSITIVE_INFINITY);
  });

  test.each([
    ["StatefulSets and DaemonSets", "controller-revision-hash"],
    ["Argo's Rollouts", "rollouts-pod-template-hash"],
  ])("of %s are told apart by their own label", (_, label) => {
    const revision = (hash: string) => ({ label: { [label]: hash } });
    const pods = [pod(100, [running(110)], revision("one")), pod(200, [running(210)], revision("two"))];
    expect(podsStart(pods)).toEqual({ notBefore: 208, notAfter: 212 });
  });

  test("that carry no template's label all count", () => {
    const bare = { label: {} };
    expect(podsStart([pod(100, [running(110)], bare), pod(200, [running(210)], bare)])?.notBefore).toBe(108);
  });

  test.each([
    ["are being deleted", { deletionTimestamp: text(300) }],
    ["have succeeded", { phase: "Succeeded" }],
    ["have failed", { phase: "Failed" }],
  ])("that %s do not count", (_, options) => {
    const gone = pod(100, [running(110)], options);
    expect(podsStart([gone])).toBeUndefined();
    expect(podsStart([gone, pod(120, [running(130)])])).toEqual({ notBefore: 128, notAfter: 132 });
  });
});

test("the pods of the newest template started with their first container, by its node", () => {
  const byNode = (...pods: readonly object[]) => runningPods(pods).newestByNode;
  const old = pod(90, [running(95)]);
  expect(byNode(old, pod(100, [running(102), running(101)], second))).toBe(101);
  expect(byNode(pod(100, [running(40)]))).toBe(100);
  expect(byNode(pod(100, [running(120)], { initContainerStatuses: [completed(103)] }))).toBe(103);
  // No status reports the second pod: it may have started as soon as it was made.
  expect(byNode(pod(100, [running(102)], second), pod(100, [], second))).toBe(100);
  expect(byNode(pod(100, [waiting]))).toBe(Number.POSITIVE_INFINITY);
});

// An old content read by an init container does not say what the container beside it has read since.
test("each container of each living pod tells when it started", () => {
  const again = pod(100, [running(900)], { initContainerStatuses: [completed(102)] });
  const gone = pod(100, [running(110)], { phase: "Failed" });
  expect(runningPods([again, gone, pod(200, [running(210), running(220)])]).each).toEqual([
    900, 100, 210, 220,
  ]);
});

test("a pod is of the workload that controls it, or that its ReplicaSet is named after", () => {
  const api = { uid: "u-1", name: "api" };
  const ownedBy = (kind: string, name: string, uid: string) => ({
    metadata: { ownerReferences: [{ kind, name, uid, controller: true }] },
  });
  expect(isPodOf(ownedBy("StatefulSet", "api", "u-1"), api)).toBe(true);
  expect(isPodOf(ownedBy("StatefulSet", "db", "u-2"), api)).toBe(false);
  expect(isPodOf(ownedBy("ReplicaSet", "api-7d9f", "u-3"), api)).toBe(true);
  expect(isPodOf(ownedBy("ReplicaSet", "web-7d9f", "u-4"), api)).toBe(false);
  expect(isPodOf(ownedBy("ReplicaSet", "api-worker-7d9f", "u-5"), api)).toBe(false);
  expect(isPodOf(ownedBy("ReplicationController", "api-3", "u-6"), api)).toBe(true);
  expect(isPodOf({ metadata: {} }, api)).toBe(true);
});
