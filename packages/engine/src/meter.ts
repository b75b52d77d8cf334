import type { RollReason } from "@fleet-reloader/domain/plan/reasons";
import type { SourceKind } from "@fleet-reloader/domain/source";
import type { Outcome } from "./request.ts";
import type { StreamState } from "./source-stream.ts";

/** What is measured, as sentences. Labels are closed sets: clusters by what people call them, no names of objects. */
export interface Meter {
  sourcesSeen(cluster: string, kind: SourceKind, count: number): void;
  requestsPublished(cluster: string, count: number): void;
  streamState(cluster: string, resource: string, state: StreamState): void;
  reconciled(cluster: string, result: Outcome | "retry" | "held" | "dropped", seconds: number): void;
  rolled(cluster: string, workloadKind: string, reason: RollReason): void;
  stateLost(cluster: string): void;
}
