import type { ApiTarget } from "@fleet-reloader/testkit/api-client";

export interface PeerModelOptions {
  readonly target: ApiTarget;
  /** Undefined: the whole cluster. */
  readonly namespaces: readonly string[] | undefined;
  /** Annotation that opts a workload in; a key of its own, so that two tools can share a cluster. */
  readonly optIn: string;
}

export interface PeerModelState {
  /** Events that wait for the worker of their kind, the one under way included. */
  readonly backlog: number;
  readonly lists: number;
  readonly patches: number;
}

export type PeerModelMethods = {
  /** Resolves when both caches are in sync. */
  readonly start: (options: PeerModelOptions) => Promise<void>;
  readonly state: () => PeerModelState;
};
