import type { Fleet } from "../fleet.ts";
import { testConfig, testWorkload } from "../seeds/test-reloader.ts";
import { once, type Step } from "./step.ts";

export const validation: Step = {
  scenario: "S8",
  title: "The runtime validation of a platform team",
  story: ["Their document annotates, patches, and then does `sleep 60` before it looks for a new pod."],
  acts: [
    {
      who: "kubectl-annotate",
      does: "annotates default/test-reloader with reloader.stakater.com/auto=true",
      on: ["nova"],
      write: (cluster, by) => {
        const { kind, namespace, name } = testWorkload;
        cluster.patch(
          kind,
          namespace,
          name,
          { metadata: { annotations: { "reloader.stakater.com/auto": "true" } } },
          by,
        );
      },
    },
    {
      // As long as it takes to type the next command.
      afterMs: 1000,
      who: "kubectl-patch",
      does: "patches ConfigMap default/test-config",
      on: ["nova"],
      write: (cluster, by) =>
        cluster.patch("ConfigMap", testConfig.namespace, testConfig.name, { data: { key: "newvalue" } }, by),
    },
  ],
  expects: "one roll, and the pods are replaced in seconds",
  rolls: [once("nova", testWorkload)],
  proof: { what: "a new ReplicaSet is ready and the old one is at zero", find: replacedPods },
};

/** A simulated cluster has no nodes: the ready replicas of a ReplicaSet stand for its pods. */
function replacedPods({ nova }: Fleet): readonly string[] | undefined {
  const sets = nova
    .list("ReplicaSet", testWorkload.namespace)
    .filter(({ metadata }) => metadata.labels?.["app.kubernetes.io/name"] === testWorkload.name)
    .map(({ metadata, status }) => ({
      name: metadata.name,
      revision: Number(metadata.annotations?.["deployment.kubernetes.io/revision"]),
      ready: readyOf(status),
    }))
    .sort((a, b) => a.revision - b.revision);
  const [before, after] = sets;
  if (before?.ready !== 0 || after?.ready !== 1) return undefined;
  return [`ReplicaSet ${before.name}: 1 → 0 ready`, `ReplicaSet ${after.name}: 0 → 1 ready`];
}

function readyOf(status: unknown): number {
  const isCounted = typeof status === "object" && status !== null && "readyReplicas" in status;
  return isCounted ? Number(status.readyReplicas) : 0;
}
