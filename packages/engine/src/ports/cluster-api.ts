import type { JsonObject } from "@fleet-reloader/domain/json";
import type { SourceContent, SourceKind, SourceRef, SourceWrite } from "@fleet-reloader/domain/source/source";
import type { TemplateEdit } from "@fleet-reloader/domain/strategy/edit";
import type { NewObject } from "@fleet-reloader/domain/strategy/roll-write";
import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { Annotations, WorkloadRef } from "@fleet-reloader/domain/workload/workload";
import type { ClusterId, Verdict } from "./request.ts";

/** A workload as the API server holds it now. */
export interface LiveWorkload {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Equal generations have equal pod templates. (A Deployment's also counts changes of its annotations.) */
  readonly generation: number;
  readonly annotations: Annotations;
  readonly templateAnnotations: Annotations;
  /** The pod template as it is, unparsed: that of the object it refers to, if it does. */
  readonly template: unknown;
  /** The object it refers to for its template; undefined when it has its own, or when there is none. */
  readonly templateOwner?: Pick<LiveWorkload, "ref" | "resourceVersion" | "generation" | "annotations"> & {
    /** Selects the pods of a workload that has no selector of its own. */
    readonly podSelector: string | undefined;
  };
  /** As the API server sent it. Never kept as an object: `ShownWorkloads` keeps a bounded number of them as texts. */
  readonly object: unknown;
  readonly createdAtSeconds: number;
  /**
   * Upper bound of the moment the pod template was last changed, from the times in managedFields of the entries that own
   * a field of it; the creation time when there are none.
   */
  readonly templateChangedAtSeconds: number;
  /** When anything of it was written last, from the times in managedFields; the creation time when there are none. */
  readonly writtenAtSeconds: number;
  /** A Deployment's `spec.paused`: a changed template does not reach its pods before it is resumed. */
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
}

/** A source as the API server holds it now. Its content is hashed and dropped, never kept. */
export interface LiveSource {
  readonly ref: SourceRef;
  readonly annotations: Annotations;
  readonly labels: Labels;
  readonly createdAtSeconds: number;
  /** No content of it was written later, as far as the API server tells: a write that only removes keys leaves no time. */
  readonly writtenAtSeconds: number;
  /** Content was written again after it was made, as far as whole seconds tell. */
  readonly isModified: boolean;
  readonly resourceVersion: string;
  /** Undefined: nothing shows it now, as when no pod mounts the class. */
  readonly content: SourceContent | undefined;
  /** When the content became what it is, where several objects show it and the newest counts. */
  readonly asOfSeconds?: number;
  /** Undefined where several objects show the content. */
  readonly write?: SourceWrite;
}

/**
 * Asks whether a write may be sent now. The adapter reserves a connection first, then asks, then sends. It asks again when it sends
 * again. A write that is on hold is not sent and ends as `kube.conflict`. Making a new connection may take up to 5 s after the question.
 */
export type Admit = () => Promise<Verdict["type"]>;

/** A conditional write: it holds only while the workload still has this resourceVersion. */
export interface WorkloadPatch {
  readonly resourceVersion: string;
  /** Annotations of the workload's own metadata (rolls nothing); null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Change of the pod template (rolls the workload). */
  readonly template?: TemplateEdit;
  /** Sets a Deployment's `spec.paused`. */
  readonly isPaused?: boolean;
  /** The template that the change was made for: some kinds can only be sent whole lists. */
  readonly templateBefore?: unknown;
  /** Other fields, from the root of the object. */
  readonly fields?: JsonObject;
  /** Absent: nobody is asked. */
  readonly admit?: Admit | undefined;
}

/** A workload as a write left it. */
export interface PatchedWorkload
  extends Pick<LiveWorkload, "ref" | "uid" | "resourceVersion" | "generation" | "annotations"> {
  /** The pod template; undefined where the write did not change it. */
  readonly template?: unknown;
  /** As the API server sent it: with its metadata, and maybe nothing else. */
  readonly object: unknown;
}

/** What is deleted only if it is still this one. */
export interface Exactly {
  readonly uid: string;
  /** Absent: in whatever state it is. */
  readonly resourceVersion?: string;
}

/** The most pods that `listPods` answers: enough to see why new pods do not run, and no burden for a workload of thousands. */
export const podsMax = 250;

/** What a worker needs of one cluster's API server. Absence is a value; everything else that goes wrong is a Fault. */
export interface ClusterApi {
  readonly cluster: ClusterId;
  readWorkload(ref: WorkloadRef, signal: AbortSignal): Promise<LiveWorkload | undefined>;
  readSource(ref: SourceRef, signal: AbortSignal): Promise<LiveSource | undefined>;
  /**
   * The annotations of a source now; none of one that is gone. Metadata only, and past every limit: for a write that has its turn and
   * holds it meanwhile.
   */
  readSourceAnnotations(ref: SourceRef, signal: AbortSignal): Promise<Annotations>;
  /** The same for a workload. */
  readWorkloadAnnotations(ref: WorkloadRef, signal: AbortSignal): Promise<Annotations>;
  /** Of these sources of a kind other than SecretProviderClass those that there are, by name: one list in the place of many reads. */
  readSources(
    kind: SourceKind,
    namespace: string,
    names: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, LiveSource>>;
  /** Names of all served sources of a kind in a namespace, for annotation patterns. Metadata only. */
  listSourceNames(kind: SourceKind, namespace: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Pods that a label selector fits, as the API server sent them; of more than `podsMax`, some. */
  listPods(namespace: string, labelSelector: string, signal: AbortSignal): Promise<readonly unknown[]>;
  /** Undefined: there is no such namespace. */
  readNamespaceLabels(namespace: string, signal: AbortSignal): Promise<Labels | undefined>;
  /** Faults with `kube.conflict` when the resourceVersion has moved; undefined when the workload is gone. */
  patchWorkload(
    ref: WorkloadRef,
    patch: WorkloadPatch,
    signal: AbortSignal,
  ): Promise<PatchedWorkload | undefined>;
  /** What was made, or what is there under that name already. */
  createWorkload(made: NewObject, signal: AbortSignal, admit?: Admit): Promise<LiveWorkload>;
  /**
   * Deletes exactly this one, its pods in the background; faults with `kube.conflict` when it is another or has changed. One
   * that is gone is deleted.
   */
  deleteExactly(ref: WorkloadRef, exactly: Exactly, signal: AbortSignal, admit?: Admit): Promise<void>;
}

/** Lists of whole workloads, for a question of a person. No worker needs them. */
export interface WorkloadLists {
  /** All workloads of a served kind in a namespace, each with its pod template; none where the API server does not have the kind. */
  listWorkloads(kind: string, namespace: string, signal: AbortSignal): Promise<readonly LiveWorkload[]>;
}

/** A cluster as a worker has it: how to talk to it. */
export interface EngagedCluster {
  /** What people call it: in logs and metrics. */
  readonly name: string;
  readonly api: ClusterApi;
  /** Those it was registered with; none when absent. */
  readonly labels?: Labels;
}
