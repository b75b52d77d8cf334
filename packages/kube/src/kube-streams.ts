import type { SourceKind } from "@fleet-reloader/domain/source";
import type { Clock, Random } from "@fleet-reloader/engine/clock";
import type { LiveWorkload } from "@fleet-reloader/engine/cluster-api";
import type { ClusterStreams, Stream } from "@fleet-reloader/engine/cluster-streams";
import type { Log } from "@fleet-reloader/engine/log";
import type { Connection } from "./connection.ts";
import { sourceResource } from "./kube-cluster-api.ts";
import { liveWorkload, sourceVersion } from "./metadata.ts";
import { createOptionalStream } from "./optional-stream.ts";
import { referringHandler } from "./referring-handler.ts";
import { Reflector, type ReflectorTimings } from "./reflector.ts";
import { WorkloadObjects } from "./workload-objects.ts";
import type { WorkloadResource } from "./workload-resources.ts";

export interface KubeStreamsOptions {
  readonly connection: Connection;
  readonly namespace: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timings?: Partial<ReflectorTimings>;
  /** How often a resource that the API server does not have is looked for. */
  readonly absentMs?: number;
}

/** Helm's release blobs are often the bulk of all Secrets, and no pod mounts them; the type of a Secret cannot change. */
const selectors: Readonly<Partial<Record<SourceKind, string>>> = { Secret: "type!=helm.sh/release.v1" };

/** The streams of one cluster: whole workloads, but only the metadata of sources. */
export function createKubeStreams(options: KubeStreamsOptions): ClusterStreams {
  const objects = new WorkloadObjects(options.connection, []);
  const scope = options.namespace === undefined ? {} : { namespace: options.namespace };
  return {
    workloads(kind, handler) {
      const log = options.log.child({ resource: kind.kind });
      const reflect = (resource: WorkloadResource, onAbsent?: () => void): Stream => ({
        run(signal) {
          const withTemplate = (live: LiveWorkload) => objects.withTemplate(live, signal);
          const reflector = new Reflector({
            ...options,
            log,
            collection: { ...resource, ...scope, metadataOnly: false },
            parse: (object) => liveWorkload(kind, object),
            handler: kind.templateOwner === undefined ? handler : referringHandler(handler, withTemplate),
            ...(onAbsent === undefined ? {} : { onAbsent }),
          });
          return reflector.run(signal);
        },
      });
      const { group, version, plural, isOptional } = kind;
      if (!isOptional && plural !== undefined) return reflect({ group, version, plural });
      const { resources } = objects;
      return createOptionalStream({ ...options, ...{ kind, resources, handler, reflect, log } });
    },
    sources(kind, handler) {
      const selector = selectors[kind];
      return new Reflector({
        ...options,
        log: options.log.child({ resource: kind }),
        collection: {
          ...sourceResource(kind),
          ...scope,
          ...(selector === undefined ? {} : { fieldSelector: selector }),
          metadataOnly: true,
        },
        parse: (object) => sourceVersion(kind, object),
        handler,
      });
    },
  };
}
