import { jsonField, jsonList } from "@fleet-reloader/domain/json";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { Lookup, ResourceKind } from "../../discovery/api-resources.ts";
import { stringMap, text } from "../../json.ts";
import type { Access } from "../registration.ts";
import type { Hub } from "./hub.ts";
import { optionalHubStream } from "./hub-streams.ts";
import type { Keyed } from "./kept-objects.ts";

/** The part of a Cluster API Cluster that says whether it can and may be reached. */
export interface CapiCluster extends Keyed {
  readonly labels: Labels;
  readonly isPaused: boolean;
  readonly isDeleted: boolean;
  readonly isInitialised: boolean;
}

/** The newer version first. Both are served for some releases, then the older one is removed. */
const versions = ["v1beta2", "v1beta1"] as const;
const capiKind: ResourceKind = {
  apiKind: "Cluster",
  group: "cluster.x-k8s.io",
  version: versions[0],
  plural: "clusters",
  isOptional: true,
};

/** The list + watch of Clusters, in the newest version that the hub has; a hub may have none. */
export function capiClusterStream(
  hub: Hub,
  namespace: string | undefined,
  handler: StreamHandler<CapiCluster>,
): Stream {
  return optionalHubStream(hub, {
    kind: capiKind,
    resources: {
      find: (_, signal) => newest(hub.resources, signal),
      forget: () => forgetCluster(hub.resources),
    },
    namespace,
    parse: capiCluster,
    handler,
  });
}

async function newest(resources: Hub["resources"], signal: AbortSignal): Promise<Lookup> {
  for (const version of versions) {
    const found = await resources.find({ ...capiKind, version }, signal);
    if ("plural" in found) return found;
  }
  return { absent: "this API server has no Clusters of Cluster API" };
}

function forgetCluster(resources: Hub["resources"]): void {
  for (const version of versions) resources.forget({ ...capiKind, version });
}

/** Why to leave its cluster alone, or why it is not reachable yet; undefined when nothing is in the way. */
export function provisioningOf({ key, isPaused, isDeleted, isInitialised }: CapiCluster): Access | undefined {
  if (isDeleted) return { type: "paused", why: `Cluster ${key} is being deleted` };
  if (isPaused)
    return {
      type: "paused",
      why: `Cluster ${key} is paused; unset spec.paused or the annotation cluster.x-k8s.io/paused`,
    };
  if (!isInitialised)
    return {
      type: "unusable",
      why: `Cluster ${key}: its control plane is not initialised yet; we wait for it`,
    };
  return undefined;
}

/** Reads both versions of the API: fields that one of them lacks are simply absent. */
function capiCluster(object: unknown): CapiCluster | undefined {
  const namespace = text(object, "metadata", "namespace");
  const name = text(object, "metadata", "name");
  if (namespace === "" || name === "") return undefined;
  const annotations = stringMap(object, "metadata", "annotations");
  return {
    key: `${namespace}/${name}`,
    labels: stringMap(object, "metadata", "labels"),
    // Any value pauses it, even an empty one.
    isPaused:
      jsonField(object, "spec", "paused") === true || Object.hasOwn(annotations, "cluster.x-k8s.io/paused"),
    isDeleted: text(object, "metadata", "deletionTimestamp") !== "",
    isInitialised:
      jsonField(object, "status", "initialization", "controlPlaneInitialized") === true ||
      jsonField(object, "status", "controlPlaneReady") === true ||
      jsonList(object, "status", "conditions").some(
        (one) => text(one, "type") === "ControlPlaneInitialized" && text(one, "status") === "True",
      ),
  };
}
