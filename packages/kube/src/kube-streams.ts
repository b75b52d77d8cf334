import type { SourceKind } from "@fleet-reloader/domain/source";
import type { Clock, Random } from "@fleet-reloader/engine/clock";
import type { ClusterStreams } from "@fleet-reloader/engine/cluster-streams";
import type { Log } from "@fleet-reloader/engine/log";
import type { Connection } from "./connection.ts";
import { sourceResource } from "./kube-cluster-api.ts";
import { liveWorkload, sourceVersion } from "./metadata.ts";
import { Reflector, type ReflectorTimings } from "./reflector.ts";

export interface KubeStreamsOptions {
  readonly connection: Connection;
  readonly namespace: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timings?: Partial<ReflectorTimings>;
}

/** Helm's release blobs are often the bulk of all Secrets, and no pod mounts them; the type of a Secret cannot change. */
const selectors: Readonly<Partial<Record<SourceKind, string>>> = { Secret: "type!=helm.sh/release.v1" };

/** The streams of one cluster: whole workloads, but only the metadata of sources. */
export function createKubeStreams(options: KubeStreamsOptions): ClusterStreams {
  const scope = options.namespace === undefined ? {} : { namespace: options.namespace };
  return {
    workloads(kind, handler) {
      return new Reflector({
        ...options,
        log: options.log.child({ resource: kind.kind }),
        collection: { ...kind, ...scope, metadataOnly: false },
        parse: (object) => liveWorkload(kind.kind, object),
        handler,
      });
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
