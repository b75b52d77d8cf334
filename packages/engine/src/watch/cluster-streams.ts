import type { SourceKind } from "@fleet-reloader/domain/source/source";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { LiveWorkload } from "../ports/cluster-api.ts";
import type { SourceVersion } from "../ports/reference-index.ts";
import type { StateListener, StreamHandler } from "../ports/source-stream.ts";
import type { LabelledNamespace } from "./namespace-watch.ts";

/** A list + watch. It runs until its signal is aborted and retries every failure, so it does not reject. */
export interface Stream {
  run(signal: AbortSignal, onState: StateListener): Promise<void>;
}

/** The streams of one cluster. Each covers one namespace, or all of them when the namespace is undefined. */
export interface ClusterStreams {
  workloads(kind: WorkloadKind, handler: StreamHandler<LiveWorkload>, namespace: string | undefined): Stream;
  sources(kind: SourceKind, handler: StreamHandler<SourceVersion>, namespace: string | undefined): Stream;
  namespaces(handler: StreamHandler<LabelledNamespace>): Stream;
  /** The API server's time now, in whole seconds, never ahead of it; undefined before its first answer. */
  serverSeconds(): number | undefined;
}
