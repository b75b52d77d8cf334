import type { SourceKind } from "@fleet-reloader/domain/source/source";
import { annotationValue } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Interest } from "../observe/interest.ts";
import type { EngagedCluster, LiveWorkload } from "../ports/cluster-api.ts";
import type { Request } from "../ports/request.ts";
import type { Delivery } from "../ports/workqueue.ts";

/** A request as it was delivered, and the cluster it is about. */
export interface Taken {
  readonly request: Request;
  readonly delivery: Delivery;
  readonly cluster: EngagedCluster;
}

/** A workload as it was observed, with everything that a decision about it needs. */
export interface Reading extends Taken {
  readonly live: LiveWorkload;
  readonly kind: WorkloadKind;
  readonly interest: Interest;
  /** The text of our applied state on the workload, and whether we wrote it. */
  readonly appliedText: string | undefined;
  readonly isOwn: boolean;
  /** The largest count of all its known applied states. */
  readonly appliedCount: number;
  /** The applied state that counts, if Redis does not hold it. Writing another one would lose it. */
  readonly unkeptText: string | undefined;
  /** Since when, in seconds, its sources have differed from the applied state while the roll for that was held. */
  readonly heldSinceSeconds: number | undefined;
}

/** The annotation that names sources of a kind, and its value as written on the workload or on its pod template. */
export function namingAnnotation(
  { interest, live }: Pick<Reading, "interest" | "live">,
  kind: SourceKind,
): { readonly annotation: string; readonly value: string } {
  const { dialect, kinds } = interest.optIn;
  const annotation = dialect.kinds[kind].named;
  const annotations = kinds[kind].origin === "workload" ? live.annotations : live.templateAnnotations;
  return { annotation, value: annotationValue(annotations, annotation) ?? "" };
}
