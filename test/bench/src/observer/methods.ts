import type { ApiTarget } from "@fleet-reloader/testkit/api-client";

/** A ConfigMap and the Deployment that has to roll when it changes. */
export interface Pair {
  readonly namespace: string;
  readonly configMap: string;
  readonly deployment: string;
}

export interface SingleChange {
  readonly pair: Pair;
  /** From just before the write was sent to the new template's arrival on the watch; undefined: never seen. */
  readonly fromSendMs: number | undefined;
  /** The same from the answer to the write; below 0 when the watch was quicker than the answer. */
  readonly fromAnswerMs: number | undefined;
}

/** A write at a time, relative to the start of the plan. */
export interface PlannedWrite {
  readonly atMs: number;
  readonly namespace: string;
  readonly configMap: string;
}

/** What the observer can be asked. Times are milliseconds since its latest `forget`, of its one monotonic clock. */
export type ObserverMethods = {
  readonly open: (target: ApiTarget) => Promise<void>;
  readonly forget: () => void;
  /** Changes one ConfigMap after the other, each when the roll of the one before was seen. */
  readonly changeOneByOne: (what: {
    readonly pairs: readonly Pair[];
    readonly pauseMs: readonly [from: number, to: number];
    readonly seed: number;
    readonly timeoutMs: number;
  }) => Promise<readonly SingleChange[]>;
  /** Sends each write at its time, whatever happens meanwhile; answers when each was sent. */
  readonly changeAsPlanned: (writes: readonly PlannedWrite[]) => Promise<readonly number[]>;
  /** Rewrites an annotation of the ConfigMaps in turn, content as it was; answers how many milliseconds it took. */
  readonly touch: (what: {
    readonly namespace: string;
    readonly configMaps: readonly string[];
    readonly count: number;
    readonly inFlight: number;
  }) => Promise<number>;
  /** Resolves when no roll was seen for so long, or the time is up: false. */
  readonly settled: (what: { readonly quietMs: number; readonly timeoutMs: number }) => Promise<boolean>;
  readonly rolls: (namespace: string) => ReadonlyMap<string, readonly number[]>;
  readonly countAnnotated: (what: { readonly namespace: string; readonly prefix: string }) => number;
};
