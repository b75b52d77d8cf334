import { streamName } from "@fleet-reloader/domain/cluster/told-namespace";
import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { HintSource } from "@fleet-reloader/engine/hints/hint-inbox";
import type { LiveWorkload } from "@fleet-reloader/engine/ports/cluster-api";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { SourceVersion } from "@fleet-reloader/engine/ports/reference-index";
import type { StreamHandler } from "@fleet-reloader/engine/ports/source-stream";
import type { ClusterStreams, Stream } from "@fleet-reloader/engine/watch/cluster-streams";
import type { LabelledNamespace } from "@fleet-reloader/engine/watch/namespace-watch";
import type { ApiResource, ResourceKind } from "../discovery/api-resources.ts";
import { RevisionProbe } from "../discovery/revision-probe.ts";
import type { Connection } from "../http/connection.ts";
import { text } from "../json.ts";
import { sourceFields, sourceResource } from "../objects/kube-cluster-api.ts";
import { labelledNamespace, liveWorkload, sourceVersion } from "../objects/live-objects.ts";
import { PodStatusHandler, podStatusKind, seenPodStatus } from "../objects/pod-status.ts";
import { WorkloadObjects } from "../objects/workload-objects.ts";
import { HintedReflector, type HintedReflectorOptions, type HintTimings } from "./hinted/hinted-reflector.ts";
import { workloadPrint } from "./hinted/workload-print.ts";
import { OptionalStream } from "./optional-stream.ts";
import { referringHandler } from "./referring-handler.ts";
import { Reflector, type ReflectorOptions, type ReflectorTimings } from "./reflector.ts";

export interface KubeStreamsOptions {
  readonly connection: Connection;
  /** The label selector that sources are listed and watched with; undefined means all. */
  readonly sourceSelector?: string | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly timings?: Partial<ReflectorTimings>;
  /** Where to read instead of watching; undefined: collections are watched. */
  readonly hinted?: HintedStreams | undefined;
  /** Time between two discoveries of a resource that the API server may not have. */
  readonly absentMs?: number;
}

/** Collections are read where hints point to, and no watch is opened. */
export interface HintedStreams {
  readonly hints: HintSource;
  /** The differences that the last list found and no hint announced, as `namespace/name`; none when all is well. */
  readonly onMissed: (collection: string, names: readonly string[]) => void;
  readonly timings?: Partial<HintTimings>;
}

/** The streams of one cluster: whole workloads, but only the metadata of sources and namespaces. */
export class KubeStreams implements ClusterStreams {
  readonly #options: KubeStreamsOptions;
  readonly #objects: WorkloadObjects;
  readonly #probe: RevisionProbe;

  constructor(options: KubeStreamsOptions) {
    const { connection, clock, log } = options;
    this.#options = options;
    this.#objects = new WorkloadObjects(connection, []);
    this.#probe = new RevisionProbe({ connection, clock, log });
  }

  workloads(kind: WorkloadKind, handler: StreamHandler<LiveWorkload>, namespace: string | undefined): Stream {
    const log = this.#options.log.child({ resource: kind.kind });
    const { group, version, plural, isOptional, templateOwner } = kind;
    const reflect = (resource: ApiResource): Stream => ({
      run: (signal, onState) => {
        const withTemplate = (live: LiveWorkload) => this.#objects.withTemplate(live, signal);
        const reflector = this.#reflector({
          collection: { ...resource, namespace, metadataOnly: false },
          parse: (object) => liveWorkload(kind, object),
          handler: templateOwner === undefined ? handler : referringHandler(handler, withTemplate),
          log,
          printOf: (object) => workloadPrint(kind, object),
          as: "listed",
          // A Rollout may refer to a Deployment for its template.
          alsoHintedBy: templateOwner === undefined ? undefined : deploymentResource,
        });
        return reflector.run(signal, onState);
      },
    });
    if (!isOptional && plural !== undefined) return reflect({ group, version, plural });
    return this.#optional(kind, reflect, log);
  }

  sources(kind: SourceKind, handler: StreamHandler<SourceVersion>, namespace: string | undefined): Stream {
    const log = this.#options.log.child({ resource: kind });
    if (kind === "SecretProviderClass") return this.#podStatuses(handler, namespace, log);
    return this.#reflector({
      collection: {
        ...sourceResource(kind),
        namespace,
        fieldSelector: sourceFields(kind),
        labelSelector: this.#options.sourceSelector,
        metadataOnly: true,
      },
      parse: (object) => sourceVersion(kind, object),
      handler,
      log,
      printOf: versionPrint,
      as: "event",
    });
  }

  namespaces(handler: StreamHandler<LabelledNamespace>): Stream {
    return this.#reflector({
      collection: { group: "", version: "v1", plural: "namespaces", metadataOnly: true },
      parse: labelledNamespace,
      handler,
      log: this.#options.log.child({ resource: "Namespace" }),
      printOf: (object) => JSON.stringify(labelledNamespace(object)),
      as: "event",
    });
  }

  serverSeconds(): number | undefined {
    return this.#options.connection.serverSeconds;
  }

  /** The versions that pods mounted are in the status objects, not in metadata. They are small and hold no value of a secret. */
  #podStatuses(handler: StreamHandler<SourceVersion>, namespace: string | undefined, log: Log): Stream {
    const reflect = (resource: ApiResource): Stream =>
      this.#reflector({
        collection: { ...resource, namespace, metadataOnly: false },
        parse: seenPodStatus,
        handler: new PodStatusHandler(handler),
        log,
        printOf: versionPrint,
        as: "event",
      });
    return this.#optional(podStatusKind, reflect, log);
  }

  #optional(kind: ResourceKind, reflect: (resource: ApiResource) => Stream, log: Log): Stream {
    const { clock, absentMs } = this.#options;
    return new OptionalStream({ kind, resources: this.#objects.resources, reflect, clock, log, absentMs });
  }

  #reflector<T>(wanted: FollowedCollection<T>): Stream {
    const { collection, parse, handler, log, printOf, as, alsoHintedBy } = wanted;
    const { connection, clock, hinted, random, timings } = this.#options;
    const both = { connection, collection, parse, handler, clock, random, log };
    if (hinted === undefined) return new Reflector({ ...both, probe: this.#probe, timings });
    const { hints, timings: hintTimings } = hinted;
    const { namespace, plural } = collection;
    const name = streamName(plural, namespace);
    const onMissed = (names: readonly string[]) => hinted.onMissed(name, names);
    return new HintedReflector({ ...both, printOf, as, hints, alsoHintedBy, onMissed, timings: hintTimings });
  }
}

type FollowedCollection<T> = Pick<ReflectorOptions<T>, "collection" | "parse" | "handler" | "log"> &
  Pick<HintedReflectorOptions<T>, "printOf" | "as" | "alsoHintedBy">;

const deploymentResource = { group: "apps", resource: "deployments" };

function versionPrint(object: unknown): string {
  return text(object, "metadata", "resourceVersion");
}
