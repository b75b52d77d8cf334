import { rendered } from "@fleet-reloader/chart/helm";
import { at, type Manifest, the } from "@fleet-reloader/chart/manifest";

export interface WorkerScaling {
  readonly namespace: string;
  readonly trigger: "push" | "poll";
  readonly redisUrl: string;
  /** Where a watcher on this machine is asked. */
  readonly watcher: { readonly healthPort: number; readonly scalerPort: number };
  readonly cooldownSeconds: number;
  /** Seconds between two questions of KEDA; the chart's own when absent. */
  readonly pollingInterval?: number;
  /** Workers at the start; one when absent. */
  readonly replicas?: number;
}

/** What the chart makes of a hub that KEDA scales. */
export interface ScaledWorker {
  /** KEDA asks for nothing before it can read what the worker's environment is made of. */
  readonly redisSecret: object;
  readonly deployment: Manifest;
  readonly scaledObject: Manifest;
  /** Of the worker's pods. */
  readonly labelSelector: string;
}

/** The chart's own objects. Only the address of the watcher is another: here nobody knows the names of Services. */
export async function scaledWorker(scaling: WorkerScaling): Promise<ScaledWorker> {
  const { cooldownSeconds: cooldownPeriod, namespace, redisUrl, trigger, watcher } = scaling;
  const { pollingInterval, replicas = 1 } = scaling;
  // In values a null takes the chart's own away.
  const polling = pollingInterval === undefined ? {} : { pollingInterval };
  const hub = { keda: { enabled: true, trigger, cooldownPeriod, ...polling } };
  const redis = { existingSecret: "redis" };
  const objects = await rendered({ namespace, values: { fleetReloader: { mode: "hub", hub, redis } } });
  const { spec, ...scaledObject } = the(objects, "ScaledObject");
  const deployment = the(objects, "Deployment", String(at(spec, "scaleTargetRef", "name")));
  const labels = Object.entries(Object(at(deployment, "spec", "selector", "matchLabels")));
  const addresses = new Map<unknown, object>([
    ["external-push", { scalerAddress: `127.0.0.1:${watcher.scalerPort}` }],
    ["metrics-api", { url: `http://127.0.0.1:${watcher.healthPort}/work` }],
  ]);
  const triggers = Object.values(Object(at(spec, "triggers")))
    .map(Object)
    .map((rendered) => ({
      ...rendered,
      metadata: { ...rendered.metadata, ...addresses.get(rendered.type) },
    }));
  return {
    redisSecret: { metadata: { name: redis.existingSecret }, stringData: { url: redisUrl } },
    deployment: { ...deployment, spec: { ...Object(deployment.spec), replicas } },
    scaledObject: { ...scaledObject, spec: { ...Object(spec), triggers } },
    labelSelector: labels.map(([key, value]) => `${key}=${value}`).join(","),
  };
}
