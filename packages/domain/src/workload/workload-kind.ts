import type { RolloutState } from "../rollout-state/rollout-state.ts";
import type { KeyedDigest, Mark } from "../source/mark.ts";
import type { TemplateEdit } from "../strategy/edit.ts";
import type { RollWrite } from "../strategy/roll-write.ts";
import type { Eligibility } from "./eligibility.ts";
import type { Annotations, WorkloadRef } from "./workload.ts";

/**
 * Everything the other code needs to know about a kind of workload: where its pod template is, and how a roll of it is written. Each kind is one
 * file in `kind/`. A kind does not decide whether a workload rolls.
 */
export interface WorkloadKind {
  /** Its name in requests, logs and metrics. Unique: the name of a declared kind contains its group. */
  readonly kind: string;
  /** Its name in the API. */
  readonly apiKind: string;
  readonly group: string;
  readonly version: string;
  /** The resource in URLs and RBAC rules; undefined: it is looked up at the API server. */
  readonly plural: string | undefined;
  /** An API server may not have it. Then it is looked up again later, and nothing waits for it. */
  readonly isOptional: boolean;
  /** Strategic merge merges containers and variables by name. Custom resources have only merge patches. */
  readonly patch: "strategic" | "merge";
  /** Path to the pod template in the object. */
  readonly templatePath: readonly string[];
  /** The object that has the pod template instead, if this one refers to one. */
  readonly templateOwner?: (object: unknown) => WorkloadRef | undefined;
  /** Whether a change of that object's template also rolls a workload with these annotations. A roll of that object is then a roll of this one. */
  readonly followsOwner?: (annotations: Annotations) => boolean;
  /** The eligibility of an object of this kind. Absent: each object is served. */
  readonly eligibility?: (object: unknown) => Eligibility;
  /** Its roll is one PATCH of its own pod template and depends on nothing else. */
  readonly isTemplateRolled?: true;
  /** Whether there are pods with the present template, by the status of the object. Absent: the kind does not count them. */
  readonly hasNewPods?: (object: unknown) => boolean;
  /** When the last run of its schedule was due, in whole seconds; 0: there was none. Absent: the kind has no schedule. */
  readonly lastDueAtSeconds?: (object: unknown) => number;
  /** The runs of an object beside which no other run may begin; undefined: runs may overlap. Absent: the kind has no schedule. */
  readonly exclusiveRuns?: (object: unknown) => ExclusiveRuns | undefined;
  /** How a roll is written. Pure: the same roll always has the same write. */
  readonly roll: (roll: PlannedRoll) => RollWrite;
  /**
   * The state of the rollout after a roll, from the object as the API server has it and from the generation of the object that it refers to for
   * its template.
   */
  readonly rolloutState: (object: unknown, templateGeneration?: number) => RolloutState;
}

/** Names of Jobs that may still run. */
export interface ExclusiveRuns {
  /** One that the controller lists as active; undefined: it lists none. */
  readonly active: string | undefined;
  /** The one that was made for the last change, which no controller lists; undefined: there was none. */
  readonly lastMade: string | undefined;
}

/** The live workload: the parts that a write depends on. */
export interface RolledObject {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly annotations: Annotations;
  /** Its pod template, or that of the object that it refers to. */
  readonly template: unknown;
  readonly templateAnnotations: Annotations;
  /** As the API server sent it. */
  readonly object: unknown;
  /** The object that has its template, as it was read; undefined when there is none. */
  readonly templateOwner?: {
    readonly ref: WorkloadRef;
    readonly resourceVersion: string;
    readonly annotations: Annotations;
  };
}

/** A roll that has been decided. */
export interface PlannedRoll {
  readonly live: RolledObject;
  readonly edit: TemplateEdit;
  /** One mark for all the sources of the workload. */
  readonly mark: Mark;
  readonly applied: AppliedWrite;
  readonly nowMs: number;
  readonly keyed: KeyedDigest;
}

/** The text of the applied state before and after the roll. */
export interface AppliedWrite {
  readonly before: string | undefined;
  readonly after: string;
  /** Whether an earlier attempt wrote it. No write puts the state before its roll. */
  readonly isWritten: boolean;
  /** The annotation changes that write it; null removes an annotation. */
  readonly annotations: Readonly<Record<string, string | null>>;
}
