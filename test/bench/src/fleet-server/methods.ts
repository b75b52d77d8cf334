import type { RequestCounts } from "../server/methods.ts";

/** What every logical cluster contains. */
export interface FleetShape {
  readonly clusters: number;
  /** Deployments that have opted in, each with a ConfigMap of its own. */
  readonly used: number;
  /** ConfigMaps and Secrets that nobody uses; Deployments that have not opted in. */
  readonly configMaps: number;
  readonly secrets: number;
  readonly bystanders: number;
}

export interface FleetServerOptions extends FleetShape {
  readonly isTls: boolean;
  /** How long a PATCH takes at least, as an API server far away or under load makes it. */
  readonly patchMs: number;
  /** A port for each cluster, so that one can refuse to talk at all; otherwise they differ by path only. */
  readonly isPortEach: boolean;
}

export interface FleetAccess {
  /** Of each cluster. */
  readonly urls: readonly string[];
  readonly certificatePem: string | undefined;
}

/** How a cluster behaves: takes connections and never says a word, sends a head and no body, or fails every request. */
export type Behaviour = "healthy" | "swallows" | "hangs" | "fails";

/** A change of a used ConfigMap and what came of it. */
export interface FleetChanges {
  readonly changes: number;
  /** From the change to the PATCH that rolls, one for each change that was rolled out. */
  readonly latenciesMs: readonly number[];
  /** When each of these PATCHes came, since the first change. */
  readonly rolledAtMs: readonly number[];
  /** `cluster/deployment` of changes without a roll, and of rolls without a change. */
  readonly missed: readonly string[];
  readonly spurious: readonly string[];
}

export interface ChangePlan {
  /** The clusters whose ConfigMaps are changed, in turn. */
  readonly clusters: readonly number[];
  readonly perSecond: number;
  readonly count: number;
}

export type FleetMethods = {
  readonly start: (options: FleetServerOptions) => Promise<FleetAccess>;
  readonly behave: (what: { readonly clusters: readonly number[]; readonly as: Behaviour }) => void;
  /** Changes used ConfigMaps at a steady pace, none again before its roll; resolves when the last change is made. */
  readonly change: (plan: ChangePlan) => Promise<void>;
  /** Changes the used ConfigMaps of one cluster as quickly as wanted; what it leads to is not noted. */
  readonly storm: (what: {
    readonly cluster: number;
    readonly perSecond: number;
    readonly seconds: number;
  }) => Promise<void>;
  /** Changes that wait for their roll, of these clusters. */
  readonly waiting: (clusters: readonly number[]) => number;
  /** What came of all changes in these clusters since the last `forget`. */
  readonly outcome: (clusters: readonly number[]) => FleetChanges;
  readonly forget: () => void;
  /** Opted-in Deployments that carry our note. */
  readonly adopted: () => number;
  readonly openWatches: () => number;
  readonly sockets: () => number;
  readonly requests: () => RequestCounts;
};
