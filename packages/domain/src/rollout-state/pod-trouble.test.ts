import { expect, test } from "vitest";
import { podSelectorOf } from "./pod-selector.ts";
import { lastReadySeconds, podTrouble } from "./pod-trouble.ts";

interface PodOptions {
  readonly at?: string;
  readonly hash?: string;
  readonly waiting?: readonly [reason: string, message?: string];
  readonly list?: "containerStatuses" | "initContainerStatuses";
  readonly unschedulable?: string;
  readonly isEnding?: boolean;
}

function pod(name: string, options: PodOptions = {}): object {
  const { at = "2026-07-01T12:00:00Z", hash = "new", waiting, list = "containerStatuses" } = options;
  const state =
    waiting === undefined
      ? { running: {} }
      : { waiting: { reason: waiting[0], ...(waiting[1] === undefined ? {} : { message: waiting[1] }) } };
  const { unschedulable } = options;
  const scheduled =
    unschedulable === undefined
      ? { type: "PodScheduled", status: "True" }
      : { type: "PodScheduled", status: "False", reason: "Unschedulable", message: unschedulable };
  return {
    metadata: {
      name,
      creationTimestamp: at,
      labels: { "pod-template-hash": hash },
      ...(options.isEnding === true ? { deletionTimestamp: at } : {}),
    },
    status: { conditions: [scheduled], [list]: [{ name: "app", state }] },
  };
}

test.each([
  ["CrashLoopBackOff", "CrashLoopBackOff"],
  ["CreateContainerConfigError", "CreateContainerConfigError"],
  ["ImagePullBackOff", "ImagePullBackOff"],
  ["ErrImagePull", "ImagePullBackOff"],
])("a container that waits with %s is trouble", (reason, expected) => {
  expect(podTrouble([pod("api-1", { waiting: [reason] })])?.reason).toBe(expected);
});

test("a missing key is named in the kubelet's words", () => {
  const said = "couldn't find key password in Secret ns/db";
  expect(podTrouble([pod("api-1", { waiting: ["CreateContainerConfigError", said] })])?.message).toBe(
    `container app of pod api-1: ${said}`,
  );
});

test("an init container counts, and a pod that no node takes", () => {
  const waiting = ["CrashLoopBackOff"] as const;
  expect(podTrouble([pod("a", { waiting, list: "initContainerStatuses" })])?.reason).toBe("CrashLoopBackOff");
  expect(podTrouble([pod("a", { unschedulable: "0/3 nodes are available" })])).toEqual({
    reason: "Unschedulable",
    message: "pod a: 0/3 nodes are available",
  });
});

test("what a container says comes before the wait for a node", () => {
  const pods = [pod("a", { unschedulable: "none" }), pod("b", { waiting: ["CrashLoopBackOff"] })];
  expect(podTrouble(pods)?.reason).toBe("CrashLoopBackOff");
});

test.each([
  ["that start or run", [pod("a"), pod("b", { waiting: ["ContainerCreating"] })]],
  ["that are none", []],
  [
    "of an older template",
    [pod("a", { at: "2026-07-01T11:00:00Z", hash: "old", waiting: ["CrashLoopBackOff"] }), pod("b")],
  ],
  ["that are on their way out", [pod("a", { isEnding: true, waiting: ["CrashLoopBackOff"] })]],
  ["that cannot be read", [null, 7, {}]],
])("pods %s are no trouble", (_, pods) => {
  expect(podTrouble(pods)).toBeUndefined();
});

test("progress is the newest pod that became ready, not one that was only made", () => {
  const ready = (name: string, at: string, status: string, hash = "new") => ({
    metadata: {
      name,
      creationTimestamp: hash === "new" ? at : "2026-07-01T11:00:00Z",
      labels: { "pod-template-hash": hash },
    },
    status: { conditions: [{ type: "Ready", status, lastTransitionTime: at }] },
  });
  const pods = [
    ready("a", "2026-07-01T12:00:00Z", "True"),
    ready("b", "2026-07-01T12:20:00Z", "False"),
    ready("c", "2026-07-01T12:10:00Z", "True", "old"),
    pod("d", { at: "2026-07-01T12:30:00Z" }),
  ];
  expect(lastReadySeconds(pods)).toBe(Date.parse("2026-07-01T12:00:00Z") / 1000);
  expect(lastReadySeconds(pods.slice(1, 2))).toBeUndefined();
});

test("a selector is written as Kubernetes reads it", () => {
  const matchExpressions = [
    { key: "tier", operator: "In", values: ["a", "b"] },
    { key: "env", operator: "NotIn", values: ["dev"] },
    { key: "x", operator: "Exists" },
    { key: "y", operator: "DoesNotExist" },
  ];
  expect(podSelectorOf({ spec: { selector: { matchLabels: { app: "api" }, matchExpressions } } })).toBe(
    "app=api,tier in (a,b),env notin (dev),x,!y",
  );
  expect(podSelectorOf({ spec: { selector: { app: "api" } } })).toBe("app=api");
});

test.each([{}, { spec: { selector: {} } }, { spec: { selector: { matchLabels: {} } } }])(
  "an empty selector selects nothing of ours: %j",
  (object) => expect(podSelectorOf(object)).toBeUndefined(),
);
