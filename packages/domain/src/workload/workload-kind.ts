import type { RolloutState } from "../rollout-state/rollout-state.ts";
import type { KeyedDigest, Mark } from "../source/mark.ts";
import type { TemplateEdit } from "../strategy/edit.ts";
import type { RollWrite } from "../strategy/roll-write.ts";
import type { Eligibility } from "./eligibility.ts";
import type { Annotations, WorkloadRef } from "./workload.ts";

/**
 * All that has to be known about a kind of workload: where its pod template is, and how a roll of it is written. A kind plugs
 * in as one file of `kind/`. It does not decide whether a workload rolls.
 */
export interface WorkloadKind {
  /** Its name in requests, logs and metrics. Unique: that of a declared kind carries its group. */
  readonly kind: string;
  /** What the API server calls it. */
  readonly apiKind: string;
  readonly group: string;
  readonly version: string;
  /** The resource in URLs and RBAC rules; undefined: the API server is asked. */
  readonly plural: string | undefined;
  /** An API server may not have it: then it is looked for again, and nothing waits for it. */
  readonly isOptional: boolean;
  /** Strategic merge knows containers and variables by name; custom resources have only merge patches. */
  readonly patch: "strategic" | "merge";
  /** Where in the object the pod template is. */
  readonly templatePath: readonly string[];
  /** The object that has the pod template instead, if this one refers to another. */
  readonly templateOwner?: (object: unknown) => WorkloadRef | undefined;
  /** Whether a change of that object's template rolls one with these annotations, so that a roll of that object is a roll of this one. */
  readonly followsOwner?: (annotations: Annotations) => boolean;
  /** Whether an object of the kind is one that is served now. Absent: each is. */
  readonly eligibility?: (object: unknown) => Eligibility;
  /** Its roll is one PATCH of its own pod template, which depends on nothing else. */
  readonly isTemplateRolled?: true;
  /** The count of the pods with the present template in its status; a status without it has none yet. Absent: the kind counts none. */
  readonly newPodCount?: "updatedReplicas" | "updatedNumberScheduled";
  /** When the last run that its schedule made was due, in whole seconds; 0: there was none. Absent: the kind has no schedule. */
  readonly lastDueAtSeconds?: (object: unknown) => number;
  /** How a roll is written. Pure: the same roll always has the same write. */
  readonly roll: (roll: PlannedRoll) => RollWrite;
  /**
   * Where the rollout that follows a roll stands, from the object as the API server has it, and from the generation of the object that it
   * refers to for its template.
   */
  readonly rolloutState: (object: unknown, templateGeneration?: number) => RolloutState;
}

/** The live workload, as far as a write depends on it. */
export interface RolledObject {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly annotations: Annotations;
  /** Its pod template: that of the object it refers to, if it does. */
  readonly template: unknown;
  readonly templateAnnotations: Annotations;
  /** As the API server sent it. */
  readonly object: unknown;
  /** The object it refers to for its template, as it was read; undefined when there is none. */
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
  /** One mark for all the sources of the workload together. */
  readonly mark: Mark;
  readonly applied: AppliedWrite;
  readonly nowMs: number;
  readonly keyed: KeyedDigest;
}

/** The text of the applied state on the workload, before the roll and after it. */
export interface AppliedWrite {
  readonly before: string | undefined;
  readonly after: string;
  /** An earlier attempt wrote it, which no write does before its roll. */
  readonly isWritten: boolean;
  /** The change of annotations that writes it; null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
}
