import type { KubeObject } from "../objects/kube-object.ts";
import type { ResourceType } from "../objects/resource-types.ts";
import { ApiError } from "../status-errors.ts";
import type { Registry } from "../store/registry.ts";
import type { ObjectStore } from "../store/store.ts";
import type { Dependents } from "./dependents.ts";
import { syncDeployment } from "./deployment.ts";
import { syncJob } from "./job.ts";
import { syncDaemonSet, syncStatefulSet } from "./revisioned.ts";
import { RolloutPace } from "./rollout-pace.ts";
import { WorkLoop } from "./work-loop.ts";

export interface WorkloadControllers {
  readonly pace: RolloutPace;
  /** Looks at everything again: after the store went back in time. */
  readonly resync: () => void;
  readonly stop: () => void;
}

/** After a write that the server refused, for instance in a namespace that is being deleted. */
const RETRY_MS = 200;

function tryAgain(sync: () => number | undefined): number | undefined {
  try {
    return sync();
  } catch (error) {
    if (error instanceof ApiError) return RETRY_MS;
    throw error;
  }
}

interface WorkloadDeps {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly dependents: Dependents;
  readonly typeOf: (kind: string) => ResourceType;
  readonly rolloutMs: number;
  readonly jobsFinish: boolean;
}

/** The part of kube-controller-manager that makes a rollout out of a changed template; there are no pods. */
export function startWorkloadControllers(deps: WorkloadDeps): WorkloadControllers {
  const { store, typeOf } = deps;
  const loops = new Map<ResourceType, WorkLoop>();
  const pace = new RolloutPace(deps.rolloutMs, (kind, namespace, name) => {
    loops.get(typeOf(kind))?.add({ namespace, name });
  });
  const shared = { ...deps, pace };
  const revisioned = {
    ...shared,
    revisionType: typeOf("ControllerRevision"),
    runningRevisions: new Map<string, string>(),
  };
  const rolling = { ...shared, deploymentType: typeOf("Deployment"), replicaSetType: typeOf("ReplicaSet") };

  const control = (
    kind: string,
    sync: (type: ResourceType, object: KubeObject) => number | undefined,
  ): void => {
    const type = typeOf(kind);
    const loop: WorkLoop = new WorkLoop((item) => {
      const object = store.get(type, item.namespace, item.name);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) return;
      const againMs = tryAgain(() => sync(type, object));
      if (againMs !== undefined) loop.addAfter(item, againMs);
    });
    loops.set(type, loop);
  };
  control("Deployment", (_type, object) => syncDeployment(rolling, object));
  control("StatefulSet", (type, object) => syncStatefulSet(revisioned, type, object));
  control("DaemonSet", (type, object) => syncDaemonSet(revisioned, type, object));
  control("Job", (type, object) => syncJob(shared, type, object));

  const stopListening = store.onChange(({ type, namespace, name, before, after }) => {
    // Our own status writes need no second look.
    if (after !== undefined && before?.metadata.generation === after.metadata.generation) return;
    loops.get(type)?.add({ namespace, name });
  });
  return {
    pace,
    resync: () => {
      for (const [type, loop] of loops) {
        for (const { metadata } of store.scan(type))
          loop.add({ namespace: metadata.namespace ?? "", name: metadata.name });
      }
    },
    stop: () => {
      stopListening();
      for (const loop of loops.values()) loop.stop();
    },
  };
}
