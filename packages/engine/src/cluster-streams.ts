import type { SourceKind } from "@fleet-reloader/domain/source";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";
import type { LiveWorkload } from "./cluster-api.ts";
import type { SourceVersion } from "./reference-index.ts";
import type { StreamHandler } from "./source-stream.ts";

/** A list + watch that runs until its signal is aborted, and never rejects. */
export interface Stream {
  run(signal: AbortSignal): Promise<void>;
}

/** The streams of one cluster. */
export interface ClusterStreams {
  workloads(kind: WorkloadKind, handler: StreamHandler<LiveWorkload>): Stream;
  sources(kind: SourceKind, handler: StreamHandler<SourceVersion>): Stream;
}
