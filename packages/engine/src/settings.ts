import type { AnnotationDialect } from "@fleet-reloader/domain/annotation/dialect";
import type { Debounce } from "@fleet-reloader/domain/debounce";
import { defaultKinds } from "@fleet-reloader/domain/kind/known-kinds";
import type { StandRules } from "@fleet-reloader/domain/kind/stand";
import { type SourceKind, sourceKinds } from "@fleet-reloader/domain/source";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";
import type { WorkloadKind } from "@fleet-reloader/domain/workload-kind";

/** What people set once for all workloads. */
export interface Settings extends StandRules {
  readonly dialect: AnnotationDialect;
  readonly autoReloadAll: boolean;
  /** Default strategy; a workload may choose its own. */
  readonly strategy: ReloadStrategy;
  /** Default window; a workload may choose its own. */
  readonly debounce: Debounce;
  /** The kinds of workloads that are watched and rolled. */
  readonly workloadKinds: readonly WorkloadKind[];
  /** The kinds of sources that are watched. */
  readonly sourceKinds: readonly SourceKind[];
  readonly scope: Scope;
}

/** Which part of a cluster is served. */
export interface Scope {
  /** These namespaces only, without any cluster-wide right; undefined means all. */
  readonly namespaces: readonly string[] | undefined;
}

/** What is meant when nothing is said; tests and services begin with it. */
export const defaultSettings = {
  workloadKinds: defaultKinds,
  reloadSuspended: false,
  reloadFinished: false,
  sourceKinds,
  scope: { namespaces: undefined },
} as const satisfies Partial<Settings>;
