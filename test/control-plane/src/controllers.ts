import { type Command, type Component, startComponent } from "./component.ts";
import type { Lifeline } from "./lifeline.ts";

/** Controllers a rollout needs, and the two without which namespaces and owned objects never go away. */
const CONTROLLERS = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "daemonset-controller",
  "job-controller",
  "cronjob-controller",
  "namespace-controller",
  "garbage-collector-controller",
];
const AUTOSCALER = "horizontal-pod-autoscaler-controller";

/**
 * The workload controllers against a ready API server. Returns when the process runs: it has no port
 * to ask, and its controllers catch up with whatever was created before they had started.
 */
export async function startControllers(start: {
  readonly command: Command;
  readonly lifeline: Lifeline;
  readonly kubeconfigPath: string;
  /** Whether the HPA controller is among them. */
  readonly autoscaling: boolean;
  readonly log: (line: string) => void;
}): Promise<Component> {
  return await startComponent({
    name: "kube-controller-manager",
    command: start.command,
    lifeline: start.lifeline,
    onUnexpectedEnd: start.log,
    flags: [
      `--kubeconfig=${start.kubeconfigPath}`,
      "--leader-elect=false",
      "--secure-port=0",
      `--controllers=${[...CONTROLLERS, ...(start.autoscaling ? [AUTOSCALER] : [])].join(",")}`,
      // The default of 20 requests a second would make many rollouts at once the thing a test measures.
      "--kube-api-qps=1000",
      "--kube-api-burst=2000",
      "--profiling=false",
    ],
  });
}
