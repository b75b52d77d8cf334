import {
  type ClusterState,
  type ClusterStatus,
  severityOfState,
} from "@fleet-reloader/domain/cluster/cluster-status";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { FleetMember } from "./member.ts";

export interface ClusterStatusNotifierOptions {
  readonly log: Log;
  readonly meter: Pick<Meter, "clusterState">;
}

type LogLevelOfStatus = "debug" | "info" | "warn" | "error";

/** While connecting, a member logs Unreachable with its fault; here it is a cluster that was reachable before. */
const levels: Readonly<Record<ClusterState, LogLevelOfStatus>> = {
  Discovered: "debug",
  Connecting: "debug",
  Syncing: "debug",
  Ready: "info",
  Degraded: "warn",
  Unreachable: "error",
  Forbidden: "error",
  Paused: "debug",
  Alias: "warn",
  Gone: "debug",
};

const messages: Readonly<Record<ClusterState, string>> = {
  Discovered: "cluster discovered",
  Connecting: "connecting to cluster",
  Syncing: "cluster is syncing",
  Ready: "cluster is ready",
  Degraded: "cluster is degraded",
  Unreachable: "cluster is unreachable; its work is parked",
  Forbidden: "cluster refuses our credentials, or a right is missing",
  Paused: "cluster is paused",
  Alias: "two registrations lead to the same cluster; it is engaged once",
  Gone: "cluster is gone",
};

/** Publishes the status of clusters: in the log once per change, one line for each missing right, and as a metric. */
export class ClusterStatusNotifier {
  readonly #options: ClusterStatusNotifierOptions;
  readonly #told = new Map<FleetMember, ClusterStatus>();

  constructor(options: ClusterStatusNotifierOptions) {
    this.#options = options;
  }

  tell(member: FleetMember, status: ClusterStatus): void {
    const before = this.#told.get(member);
    const { state, why } = status;
    if (state === "Gone") this.#told.delete(member);
    else this.#told.set(member, status);
    if (before?.state !== state) this.#measure(member);
    const isNew = before?.state !== state || (state === "Forbidden" && why.join() !== before.why.join());
    // A member without a claim itself logs the fault that keeps it from connecting.
    const isSaid = member.claim === undefined && (state === "Unreachable" || state === "Forbidden");
    if (!isNew || isSaid) return;
    const fields = { cluster: member.registration.name, registration: member.id, state };
    const reasons = why.filter((line) => state !== "Forbidden" || before?.why.includes(line) !== true);
    if (reasons.length === 0) this.#options.log[levels[state]](fields, messages[state]);
    for (const line of reasons) this.#options.log[levels[state]]({ ...fields, why: line }, messages[state]);
  }

  /**
   * Measures by the displayed name, which several registrations may share. Of several clusters the worst state is measured. A registration whose
   * cluster is not known counts only if there is no other: it may lead to the same cluster.
   */
  #measure({ registration: { name } }: FleetMember): void {
    const told = [...this.#told].filter(
      ([member, { state }]) => member.registration.name === name && state !== "Alias",
    );
    const identified = told.filter(([{ claim }]) => claim !== undefined);
    const states = (identified.length > 0 ? identified : told).map(([, { state }]) => state);
    const [worst] = states.toSorted((a, b) => severityOfState(a) - severityOfState(b));
    this.#options.meter.clusterState(name, worst);
  }
}
