import type { Labels } from "@fleet-reloader/domain/workload/label-selector";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import type { Incumbents } from "@fleet-reloader/engine/ports/incumbents";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { CallRecord } from "../http/call-record.ts";
import type { ConnectionOptions } from "../http/connection.ts";
import type { ClusterProvider } from "../registration/registration.ts";
import type { Right } from "./rights.ts";

export interface FleetOptions {
  /** In order of precedence: of two ways to one cluster the first is used. */
  readonly providers: readonly ClusterProvider[];
  /** The rights needed in a cluster with these labels, for only these namespaces. A cluster is engaged again when they change. */
  readonly rights: (namespaces: readonly string[] | undefined, labels: Labels) => readonly Right[];
  readonly limit?: ConnectionOptions["limit"];
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Pick<Meter, "clusterState">;
  readonly onCall?: (record: CallRecord) => void;
  /** This process only watches: calls share the connections of the watches. */
  readonly isShared?: boolean;
  /** Undefined: the registration that serves a cluster is remembered only while this process lives. */
  readonly incumbents?: Incumbents | undefined;
  /** Events report registrations that claim the cluster of another. */
  readonly tellsEvents?: boolean;
}

/** What the members of one provider have in common, and how long they live. */
export interface Life {
  readonly precedence: number;
  readonly isNamed: boolean;
  readonly signal: AbortSignal;
}
