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
  /** The pod template, unparsed. If the workload refers to another object for its template, it is that object's template. */
  readonly template: unknown;
  /** The object that the workload refers to for its template; undefined when it has its own, or when that object does not exist. */
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
  /** When any part of it was last written, from the times in managedFields; the creation time when there are none. */
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
  /** Upper bound of the last write of its content, as far as the API server shows it: a write that only removes keys leaves no time. */
  readonly writtenAtSeconds: number;
  /** The content was written after the creation, as far as whole seconds show. Of a class: after a pod mounted it, or pods show different contents. */
  readonly isModified: boolean;
  readonly resourceVersion: string;
  /** Undefined: nothing shows the content now, for example when no pod mounts the class. */
  readonly content: SourceContent | undefined;
  /** When the content became what it is. Set only where several objects show the content: the newest counts. */
  readonly asOfSeconds?: number;
  /** Undefined where several objects show the content. */
  readonly write?: SourceWrite;
}

/**
 * Asks whether a write may be sent now. The adapter reserves a connection, asks, then sends; it asks again before each resend. A write on
 * hold is not sent and ends as `kube.conflict`. Opening a new connection may take up to 5 s after the question.
 */
export type Admit = () => Promise<Verdict["type"]>;

/** A conditional write: it succeeds only while the workload still has this resourceVersion. */
export interface WorkloadPatch {
  readonly resourceVersion: string;
  /** Annotations of the workload's own metadata (rolls nothing); null removes one. */
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Change of the pod template (rolls the workload). */
  readonly template?: TemplateEdit;
  /** Sets a Deployment's `spec.paused`. */
  readonly isPaused?: boolean;
  /** The template that the change was computed from: some kinds accept only whole lists. */
  readonly templateBefore?: unknown;
  /** Other fields, from the root of the object. */
  readonly fields?: JsonObject;
  /** Absent: the write is sent without asking. */
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

/** The precondition of a delete: only this object is deleted. */
export interface Exactly {
  readonly uid: string;
  /** Absent: any version of it is deleted. */
  readonly resourceVersion?: string;
}

/** The most pods that `listPods` returns: enough to see why new pods do not run, and no burden for a workload of thousands. */
export const podsMax = 250;

/** What a worker needs of one cluster's API server. Absence is a value; everything else that goes wrong is a Fault. */
export interface ClusterApi {
  readonly cluster: ClusterId;
  readWorkload(ref: WorkloadRef, signal: AbortSignal): Promise<LiveWorkload | undefined>;
  readSource(ref: SourceRef, signal: AbortSignal): Promise<LiveSource | undefined>;
  /**
   * The current annotations of a source; none when the source is gone. Reads metadata only and bypasses every limit, because a write that
   * has its turn waits for the answer.
   */
  readSourceAnnotations(ref: SourceRef, signal: AbortSignal): Promise<Annotations>;
  /** The same for a workload. */
  readWorkloadAnnotations(ref: WorkloadRef, signal: AbortSignal): Promise<Annotations>;
  /** The existing sources among these, by name: one list instead of many reads. The kind must not be SecretProviderClass. */
  readSources(
    kind: SourceKind,
    namespace: string,
    names: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, LiveSource>>;
  /** Names of all served sources of a kind in a namespace, for annotation patterns. Metadata only. */
  listSourceNames(kind: SourceKind, namespace: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Pods that match a label selector, as the API server sent them; at most `podsMax` of them. */
  listPods(namespace: string, labelSelector: string, signal: AbortSignal): Promise<readonly unknown[]>;
  /** Undefined: there is no such namespace. */
  readNamespaceLabels(namespace: string, signal: AbortSignal): Promise<Labels | undefined>;
  /** Faults with `kube.conflict` when the resourceVersion has moved; undefined when the workload is gone. */
  patchWorkload(
    ref: WorkloadRef,
    patch: WorkloadPatch,
    signal: AbortSignal,
  ): Promise<PatchedWorkload | undefined>;
  /** Resolves to the created object, or to the object that already has the name. */
  createWorkload(made: NewObject, signal: AbortSignal, admit?: Admit): Promise<LiveWorkload>;
  /**
   * Deletes exactly this object, and its pods in the background. Faults with `kube.conflict` when the object is another one or has
   * changed. Succeeds when it is already gone.
   */
  deleteExactly(ref: WorkloadRef, exactly: Exactly, signal: AbortSignal, admit?: Admit): Promise<void>;
}

/** Lists whole workloads to answer a person's question. No worker needs them. */
export interface WorkloadLists {
  /** All workloads of a served kind in a namespace, each with its pod template; none where the API server does not have the kind. */
  listWorkloads(kind: string, namespace: string, signal: AbortSignal): Promise<readonly LiveWorkload[]>;
}

/** A cluster as a worker knows it: how to talk to it. */
export interface EngagedCluster {
  /** The name in logs and metrics. */
  readonly name: string;
  readonly api: ClusterApi;
  /** The labels of its registration; none when absent. */
  readonly labels?: Labels;
}
