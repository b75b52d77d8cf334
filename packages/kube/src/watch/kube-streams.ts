import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import type { StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { ClusterStreams, Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { ApiResource } from "../discovery/api-resources.ts";
import { RevisionProbe } from "../discovery/revision-probe.ts";
import type { Connection } from "../http/connection.ts";
import { sourceResource } from "../objects/kube-cluster-api.ts";
import { labelledNamespace, liveWorkload, sourceVersion } from "../objects/metadata.ts";
import { podStatusHandler, podStatusKind, seenPodStatus } from "../objects/pod-status.ts";
import { WorkloadObjects } from "../objects/workload-objects.ts";
import { createOptionalStream } from "./optional-stream.ts";
import { referringHandler } from "./referring-handler.ts";
import { Reflector, type ReflectorTimings } from "./reflector.ts";

export interface KubeStreamsOptions {
  readonly connection: Connection;
  /** The label selector that sources are listed and watched with; undefined means all. */
  readonly sourceSelector?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timings?: Partial<ReflectorTimings>;
  /** Between two looks for a resource that the API server may do without. */
  readonly absentMs?: number;
}

/** Helm's release blobs are often the bulk of all Secrets, and no pod mounts them; the type of a Secret cannot change. */
const selectors: Readonly<Partial<Record<SourceKind, string>>> = { Secret: "type!=helm.sh/release.v1" };

/** The streams of one cluster: whole workloads, but only the metadata of sources and namespaces. */
export function createKubeStreams(options: KubeStreamsOptions): ClusterStreams {
  const objects = new WorkloadObjects(options.connection, []);
  const probe = new RevisionProbe(options);
  const { resources } = objects;
  const over = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace });
  return {
    workloads(kind, handler, namespace) {
      const log = options.log.child({ resource: kind.kind });
      const reflect = (resource: ApiResource, watched: StreamHandler<LiveWorkload>): Stream => ({
        run(signal) {
          const withTemplate = (live: LiveWorkload) => objects.withTemplate(live, signal);
          const reflector = new Reflector({
            ...options,
            ...{ probe, log },
            collection: { ...resource, ...over(namespace), metadataOnly: false },
            parse: (object) => liveWorkload(kind, object),
            handler: kind.templateOwner === undefined ? watched : referringHandler(watched, withTemplate),
          });
          return reflector.run(signal);
        },
      });
      const { group, version, plural, isOptional } = kind;
      if (!isOptional && plural !== undefined) return reflect({ group, version, plural }, handler);
      return createOptionalStream({ ...options, ...{ kind, resources, handler, reflect, log } });
    },
    sources(kind, handler, namespace) {
      const log = options.log.child({ resource: kind });
      if (kind === "SecretProviderClass") {
        // Which versions pods have stands in their statuses, not in metadata. Small, and without a value of any secret.
        const reflect = (resource: ApiResource, watched: StreamHandler<SourceVersion>): Stream =>
          new Reflector({
            ...options,
            ...{ probe, log },
            collection: { ...resource, ...over(namespace), metadataOnly: false },
            parse: seenPodStatus,
            handler: podStatusHandler(watched),
          });
        return createOptionalStream({
          ...options,
          ...{ kind: podStatusKind, resources, handler, reflect, log },
        });
      }
      const selector = selectors[kind];
      const { sourceSelector } = options;
      return new Reflector({
        ...options,
        ...{ probe, log },
        collection: {
          ...sourceResource(kind),
          ...over(namespace),
          ...(selector === undefined ? {} : { fieldSelector: selector }),
          ...(sourceSelector === undefined ? {} : { labelSelector: sourceSelector }),
          metadataOnly: true,
        },
        parse: (object) => sourceVersion(kind, object),
        handler,
      });
    },
    serverSeconds: () => options.connection.serverSeconds,
    namespaces(handler) {
      return new Reflector({
        ...options,
        ...{ probe, log: options.log.child({ resource: "Namespace" }) },
        collection: { group: "", version: "v1", plural: "namespaces", metadataOnly: true },
        parse: labelledNamespace,
        handler,
      });
    },
  };
}
