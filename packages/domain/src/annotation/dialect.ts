import type { SourceKind } from "../source/source.ts";

/** The annotation keys that concern one kind of source, all on the workload. */
export interface KindAnnotations {
  /** Names and patterns of sources whose changes roll the workload, referenced or not. */
  readonly named: string;
  readonly auto: string;
  /** Exact names of sources that never roll the workload. */
  readonly exclude: string;
}

/** The names of the annotations that we read. All but the exclude keys are flags of the peer (compat 1.1). */
export interface AnnotationDialect {
  /** On the workload: opts in to every source it references, of every kind. */
  readonly auto: string;
  /** On the workload: opts in to every source it references that has the `match` annotation. */
  readonly search: string;
  /** On the source: it counts for workloads with the `search` annotation. */
  readonly match: string;
  /** On the source: it never rolls a workload. */
  readonly ignore: string;
  /** On a Deployment: how long it is held paused after a change. */
  readonly pausePeriod: string;
  /** On a Deployment: the time since which it is held paused. */
  readonly pausedAt: string;
  readonly kinds: Readonly<Record<SourceKind, KindAnnotations>>;
}

/** The keys in manifests written for the peer with its default flags (compat 1.1 and 1.3). */
export const defaultDialect: AnnotationDialect = {
  auto: "reloader.stakater.com/auto",
  search: "reloader.stakater.com/search",
  match: "reloader.stakater.com/match",
  ignore: "reloader.stakater.com/ignore",
  pausePeriod: "deployment.reloader.stakater.com/pause-period",
  pausedAt: "deployment.reloader.stakater.com/paused-at",
  kinds: {
    ConfigMap: {
      named: "configmap.reloader.stakater.com/reload",
      auto: "configmap.reloader.stakater.com/auto",
      exclude: "configmaps.exclude.reloader.stakater.com/reload",
    },
    Secret: {
      named: "secret.reloader.stakater.com/reload",
      auto: "secret.reloader.stakater.com/auto",
      exclude: "secrets.exclude.reloader.stakater.com/reload",
    },
    SecretProviderClass: {
      named: "secretproviderclass.reloader.stakater.com/reload",
      auto: "secretproviderclass.reloader.stakater.com/auto",
      exclude: "secretproviderclasses.exclude.reloader.stakater.com/reload",
    },
  },
};
