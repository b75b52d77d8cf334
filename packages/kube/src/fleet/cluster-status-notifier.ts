import type { ClusterState, ClusterStatus } from "@fleet-reloader/domain/cluster/cluster-status";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { FleetMember } from "./member.ts";

export interface ClusterStatusNotifierOptions {
  readonly log: Log;
  readonly meter: Pick<Meter, "clusterState">;
}

type LogLevelOfStatus = "debug" | "info" | "warn" | "error";

/** Unreachable is said with its fault while connecting; here it is one that was there. */
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

/** Tells people how clusters stand: in the log once per change, a line for each missing right, and as a metric. */
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
    // A member that is not engaged yet says itself, with the fault, why it cannot be connected to.
    const isSaid = member.claim === undefined && (state === "Unreachable" || state === "Forbidden");
    if (!isNew || isSaid) return;
    const fields = { cluster: member.registration.name, registration: member.id, state };
    const reasons = why.filter((line) => state !== "Forbidden" || before?.why.includes(line) !== true);
    if (reasons.length === 0) this.#options.log[levels[state]](fields, messages[state]);
    for (const line of reasons) this.#options.log[levels[state]]({ ...fields, why: line }, messages[state]);
  }

  /** By the name that people know, which several registrations may have: one that is in use speaks for all of them. */
  #measure({ registration: { name } }: FleetMember): void {
    const states = [...this.#told]
      .filter(([member, { state }]) => member.registration.name === name && state !== "Alias")
      .map(([, { state }]) => state);
    this.#options.meter.clusterState(name, states.find((state) => state === "Ready") ?? states[0]);
  }
}
