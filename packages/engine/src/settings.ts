import type { AnnotationDialect } from "@fleet-reloader/domain/annotation/dialect";
import type { Debounce } from "@fleet-reloader/domain/debounce";
import type { ReloadStrategy } from "@fleet-reloader/domain/strategy/reload-strategy";

/** What people set once for all workloads. */
export interface Settings {
  readonly dialect: AnnotationDialect;
  readonly autoReloadAll: boolean;
  /** Default strategy; a workload may choose its own. */
  readonly strategy: ReloadStrategy;
  /** Default window; a workload may choose its own. */
  readonly debounce: Debounce;
  /** Watch this namespace only; undefined means all. */
  readonly namespace?: string;
}
