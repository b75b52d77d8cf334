import type { ApiTarget } from "@fleet-reloader/testkit/api-client";
import type { RequestCounts } from "./methods.ts";
import { startRealServer } from "./real-server.ts";
import { startSimServer } from "./sim-server.ts";

/** The API server that a benchmark runs against, empty at its start. */
export interface BenchServer extends AsyncDisposable {
  /** For the report: what it is. */
  readonly description: string;
  readonly target: ApiTarget;
  readonly kubeconfigPath: string;
  /** Its processes, to tell its CPU time from a tool's. */
  readonly pids: readonly number[];
  readonly requests: () => Promise<RequestCounts>;
}

export interface ServerOptions {
  readonly isReal: boolean;
  /** Workload controllers: off unless a benchmark is about ReplicaSets, since their writes compete for the same cores. */
  readonly controllers: boolean;
  /** Whether KEDA can scale workloads on it (default false); a simulated one ignores this. */
  readonly autoscaling?: boolean;
}

export function startServer(options: ServerOptions): Promise<BenchServer> {
  return options.isReal ? startRealServer(options) : startSimServer(options);
}
