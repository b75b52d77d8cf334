import type { AnnotationDialect } from "@fleet-reloader/domain/annotation/dialect";
import type { Debounce } from "@fleet-reloader/domain/debounce";
import { defaultKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { AppearanceRules } from "@fleet-reloader/domain/plan/plan-input";
import { defaultSourceKinds, type SourceKind } from "@fleet-reloader/domain/source/source";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { EligibilityRules } from "@fleet-reloader/domain/workload/eligibility";
import type { LabelSelector } from "@fleet-reloader/domain/workload/label-selector";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";

/** What people set once for all workloads. */
export interface Settings extends AppearanceRules, EligibilityRules {
  readonly dialect: AnnotationDialect;
  readonly autoReloadAll: boolean;
  /** Default strategy; a workload may choose its own. */
  readonly strategy: ReloadStrategy;
  /** Default window; a workload may choose its own. */
  readonly debounce: Debounce;
  /** The kinds of workloads that are watched and rolled. */
  readonly workloadKinds: readonly WorkloadKind[];
  /** The kinds of sources that are watched. Of any other nothing is listed, watched or read, and references to it do not count. */
  readonly sourceKinds: readonly SourceKind[];
  readonly scope: Scope;
}

/** Which part of a cluster is served. */
export interface Scope {
  /** These namespaces only, without any cluster-wide right; undefined means all. */
  readonly namespaces: readonly string[] | undefined;
  /** Of all namespaces, these not. Says nothing where `namespaces` are listed. */
  readonly ignoredNamespaces: readonly string[];
  /** Of all namespaces, those with matching labels; undefined means any. Says nothing where `namespaces` are listed. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** Of all sources, those whose labels match, in Kubernetes' own words; undefined means any. */
  readonly sourceSelector: string | undefined;
}

/** What is meant when nothing is said; tests and services begin with it. */
export const defaultSettings = {
  workloadKinds: defaultKinds,
  reloadSuspended: false,
  reloadFinished: false,
  sourceKinds: defaultSourceKinds,
  reloadOnCreate: false,
  reloadOnDelete: false,
  scope: {
    namespaces: undefined,
    ignoredNamespaces: [],
    namespaceSelector: undefined,
    sourceSelector: undefined,
  },
} as const satisfies Partial<Settings>;
