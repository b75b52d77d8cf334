import { describe, expect, test } from "vitest";
import { cronJob } from "../kind/cron-job.ts";
import { parseDeclaredKind } from "../kind/declared.ts";
import { job } from "../kind/job.ts";
import { daemonSet, deployment, deploymentConfig, statefulSet } from "../kind/pod-controller.ts";
import { rollout } from "../kind/rollout.ts";
import type { WorkloadKind } from "../workload/workload-kind.ts";
import type { RolloutState } from "./rollout-state.ts";

function object(spec: object, status: object, generation = 3): object {
  return { metadata: { generation }, spec, status: { observedGeneration: 3, ...status } };
}

function condition(type: string, status: string, reason: string, message = ""): object {
  const time = "2026-07-01T12:00:00Z";
  return { type, status, reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

/** `healthy Available`, `progressing`, `progressing (Paused)`. */
function inShort(state: RolloutState): string {
  if (state.type !== "progressing") return `${state.type} ${state.reason}`;
  return state.trouble === undefined ? "progressing" : `progressing (${state.trouble.reason})`;
}

function table(kind: WorkloadKind, rows: readonly (readonly [string, object, string])[]): void {
  test.each(rows)(`a ${kind.kind} %s`, (_, given, expected) => {
    expect(inShort(kind.rolloutState(given))).toBe(expected);
  });
}

const three = { replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };
const late = condition(
  "Progressing",
  "False",
  "ProgressDeadlineExceeded",
  'ReplicaSet "api-1" has timed out',
);
const goes = condition("Progressing", "True", "ReplicaSetUpdated");
const full = condition("ReplicaFailure", "True", "FailedCreate", "exceeded quota: pods");

describe("where a rollout stands:", () => {
  table(deployment, [
    ["whose pods are all new and available is healthy", object({ replicas: 3 }, three), "healthy Available"],
    ["that its controller has not seen yet goes on", object({ replicas: 3 }, three, 4), "progressing"],
    ["with an old pod goes on", object({ replicas: 3 }, { ...three, replicas: 4 }), "progressing"],
    [
      "with a pod that is not available goes on",
      object({ replicas: 3 }, { ...three, availableReplicas: 2 }),
      "progressing",
    ],
    ["with too few new pods goes on", object({ replicas: 4 }, three), "progressing"],
    ["of one replica, which is what none means, goes on", object({}, { replicas: 1 }), "progressing"],
    ["scaled to zero has no pods to wait for", object({ replicas: 0 }, {}), "healthy NoPods"],
    [
      "that is scaled to zero while old pods end goes on",
      object({ replicas: 0 }, { replicas: 1 }),
      "progressing",
    ],
    [
      "whose deadline has passed has failed",
      object({ replicas: 3 }, { ...three, availableReplicas: 2, conditions: [late] }),
      "failed ProgressDeadlineExceeded",
    ],
    [
      "that got there after its deadline is healthy all the same",
      object({ replicas: 3 }, { ...three, conditions: [late] }),
      "healthy Available",
    ],
    [
      "whose deadline passed before it was changed again goes on",
      object({ replicas: 3 }, { replicas: 3, conditions: [late] }, 4),
      "progressing",
    ],
    [
      "whose pods cannot be made is in trouble",
      object({ replicas: 3 }, { replicas: 3, conditions: [goes, full] }),
      "progressing (ReplicaFailure)",
    ],
    ["that is paused is stalled", object({ replicas: 3, paused: true }, { replicas: 3 }), "stalled Paused"],
    [
      "that is paused with all pods new is healthy",
      object({ replicas: 3, paused: true }, three),
      "healthy Available",
    ],
    ["without a status goes on", { metadata: { generation: 1 }, spec: {} }, "progressing"],
  ]);

  test("a Deployment says since when it is healthy", () => {
    const done = condition("Progressing", "True", "NewReplicaSetAvailable");
    expect(deployment.rolloutState(object({ replicas: 3 }, { ...three, conditions: [done] }))).toEqual({
      type: "healthy",
      reason: "Available",
      atSeconds: Date.parse("2026-07-01T12:00:00Z") / 1000,
    });
  });

  test.each(["True", "False"])("a Deployment says when it last made progress, if it did: %s", (status) => {
    const goes = condition("Progressing", status, "ReplicaSetUpdated");
    const state = deployment.rolloutState(object({ replicas: 4 }, { ...three, conditions: [goes] }));
    const atSeconds = Date.parse("2026-07-01T12:00:00Z") / 1000;
    expect(state).toEqual({ type: "progressing", ...(status === "True" && { atSeconds }) });
  });

  const same = { currentRevision: "db-2", updateRevision: "db-2" };
  const differing = { currentRevision: "db-1", updateRevision: "db-2" };
  const partition = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } };
  table(statefulSet, [
    [
      "whose pods all have the update revision is healthy",
      object({ replicas: 3 }, { ...three, ...same }),
      "healthy Available",
    ],
    [
      "with the current revision behind goes on",
      object({ replicas: 3 }, { ...three, updatedReplicas: 1, ...differing }),
      "progressing",
    ],
    [
      "with a pod that is not ready goes on",
      object({ replicas: 3 }, { ...same, readyReplicas: 2 }),
      "progressing",
    ],
    [
      "whose last pod is updated and ready is healthy",
      object({ replicas: 3 }, { ...three, ...differing }),
      "healthy Available",
    ],
    [
      "with a partition is healthy when the pods above it are new",
      object({ replicas: 3, ...partition }, { readyReplicas: 3, updatedReplicas: 1, ...differing }),
      "healthy Partitioned",
    ],
    [
      "with a partition goes on until then",
      object({ replicas: 3, ...partition }, { readyReplicas: 3, ...differing }),
      "progressing",
    ],
    [
      "with OnDelete waits for people",
      object({ replicas: 3, updateStrategy: { type: "OnDelete" } }, { ...differing, readyReplicas: 3 }),
      "healthy WaitsForManualDelete",
    ],
    ["scaled to zero has no pods", object({ replicas: 0 }, differing), "healthy NoPods"],
    ["that is not observed goes on", object({ replicas: 3 }, { ...three, ...same }, 4), "progressing"],
  ]);

  const two = { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 };
  table(daemonSet, [
    ["that is new and available on every node is healthy", object({}, two), "healthy Available"],
    ["that is old on a node goes on", object({}, { ...two, updatedNumberScheduled: 1 }), "progressing"],
    ["that is not available on a node goes on", object({}, { ...two, numberAvailable: 1 }), "progressing"],
    ["that no node may have has no pods", object({}, { desiredNumberScheduled: 0 }), "healthy NoPods"],
    [
      "with OnDelete waits for people",
      object({ updateStrategy: { type: "OnDelete" } }, { ...two, updatedNumberScheduled: 0 }),
      "healthy WaitsForManualDelete",
    ],
    ["that is not observed goes on", object({}, two, 4), "progressing"],
  ]);

  const argo = (phase: string, message = "") =>
    object({ replicas: 2 }, { observedGeneration: "3", phase, message });
  table(rollout, [
    ["that says so is healthy", argo("Healthy"), "healthy Available"],
    [
      "that is not observed goes on",
      object({}, { observedGeneration: "2", phase: "Healthy" }),
      "progressing",
    ],
    ["that progresses goes on", argo("Progressing"), "progressing"],
    ["that is degraded has failed", argo("Degraded", "RolloutAborted: aborted"), "failed RolloutFailed"],
    [
      "that is degraded since it took too long has failed for that",
      argo("Degraded", 'ProgressDeadlineExceeded: ReplicaSet "x" has timed out'),
      "failed ProgressDeadlineExceeded",
    ],
    ["at a pause of its canary goes on, and is paused if that stays", argo("Paused"), "progressing (Paused)"],
    [
      "that is being restarted goes on",
      object({ restartAt: "2026-07-01T12:00:00Z" }, { observedGeneration: "3", phase: "Healthy" }),
      "progressing",
    ],
  ]);

  table(deploymentConfig, [
    ["whose pods are new is healthy", object({ replicas: 3 }, three), "healthy Available"],
    [
      "that was cancelled has failed",
      object(
        { replicas: 3 },
        { replicas: 3, conditions: [condition("Progressing", "False", "RolloutCancelled")] },
      ),
      "failed RolloutFailed",
    ],
    [
      "that took too long has failed",
      object({ replicas: 3 }, { replicas: 3, conditions: [late] }),
      "failed ProgressDeadlineExceeded",
    ],
    // Its status counts the pods of the latest deployment, whatever their template is.
    ["that is paused is stalled", object({ replicas: 3, paused: true }, three), "stalled Paused"],
    [
      "without a trigger for a change waits for people",
      object({ replicas: 3, triggers: [] }, three),
      "healthy WaitsForManualRollout",
    ],
    [
      "with a trigger for images alone waits for people",
      object({ replicas: 3, triggers: [{ type: "ImageChange" }] }, three),
      "healthy WaitsForManualRollout",
    ],
    [
      "with a trigger for changes is healthy",
      object({ replicas: 3, triggers: [{ type: "ImageChange" }, { type: "ConfigChange" }] }, three),
      "healthy Available",
    ],
    ["scaled to zero has no pods", object({ replicas: 0, triggers: [] }, {}), "healthy NoPods"],
  ]);

  table(cronJob, [["is done with the run that was made", {}, "healthy NextRun"]]);
  table(job, [
    ["that runs is healthy", { spec: {}, status: { active: 1, ready: 1 } }, "healthy Running"],
    ["whose pod is not ready goes on", { spec: {}, status: { active: 1, ready: 0 } }, "progressing"],
    [
      "that completed is healthy",
      { status: { conditions: [condition("Complete", "True", "")] } },
      "healthy Completed",
    ],
    [
      "that failed has failed",
      { status: { ready: 1, conditions: [condition("FailureTarget", "True", "BackoffLimitExceeded")] } },
      "failed JobFailed",
    ],
    ["that is suspended is stalled", { spec: { suspend: true }, status: {} }, "stalled Paused"],
  ]);

  const declared = parseDeclaredKind("serving.knative.dev/v1/Service=spec.template");
  if ("problem" in declared) throw new Error(declared.problem);
  table(declared, [
    [
      "that is ready is healthy",
      object({}, { conditions: [condition("Ready", "True", "")] }),
      "healthy Ready",
    ],
    [
      "that is not observed goes on",
      object({}, { conditions: [condition("Ready", "True", "")] }, 4),
      "progressing",
    ],
    [
      "that is not ready goes on, and that is why if it stays",
      object({}, { conditions: [condition("Ready", "False", "RevisionFailed")] }),
      "progressing (NotReady)",
    ],
    ["that is observed and tells no more is done with the write", object({}, {}), "healthy NothingToObserve"],
    [
      "that has no status is done with the write",
      { metadata: { generation: 2 } },
      "healthy NothingToObserve",
    ],
  ]);
});

test.each([
  ["says that it has seen it", "7", "healthy Available"],
  ["says that it has seen an older one", "6", "progressing"],
  ["of version 1.0 does not say what it has seen", undefined, "healthy Available"],
])("a Rollout counts with the template of its Deployment where Argo %s", (_, seen, expected) => {
  const status = { phase: "Healthy", ...(seen === undefined ? {} : { workloadObservedGeneration: seen }) };
  expect(inShort(rollout.rolloutState(object({}, status), 7))).toBe(expected);
});
