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
  /** A CronJob that forbids concurrent runs is run beside its active Jobs, too. */
  readonly reloadConcurrent: boolean;
  /** The kinds of sources that are watched. Sources of other kinds are not listed, watched or read, and references to them do not count. */
  readonly sourceKinds: readonly SourceKind[];
  readonly scope: Scope;
}

/** Which part of a cluster is served. */
export interface Scope {
  /** Only these namespaces, without any cluster-wide right; undefined means all. */
  readonly namespaces: readonly string[] | undefined;
  /** All namespaces except these. Has no effect where `namespaces` is set. */
  readonly ignoredNamespaces: readonly string[];
  /** Only namespaces whose labels match; undefined means any. Has no effect where `namespaces` is set. */
  readonly namespaceSelector: LabelSelector | undefined;
  /** Only sources whose labels match this Kubernetes label selector; undefined means any. */
  readonly sourceSelector: string | undefined;
}

/** The defaults; tests and services begin with them. */
export const defaultSettings = {
  workloadKinds: defaultKinds,
  reloadSuspended: false,
  reloadFinished: false,
  reloadConcurrent: false,
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
