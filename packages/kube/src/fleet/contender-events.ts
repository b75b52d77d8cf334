import { createHash } from "node:crypto";
import type { EventReason } from "@fleet-reloader/domain/event-reasons";
import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { ClusterId } from "@fleet-reloader/engine/ports/request";
import { eventTime } from "../event/event-object.ts";
import { jsonCall } from "../http/call.ts";
import type { Registration } from "../registration/registration.ts";
import { resourcePath } from "../resource.ts";
import type { Engaged } from "./engagement.ts";

export interface ContenderEventsOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Never aborted: a call ends by itself. */
const unlimited = new AbortController().signal;

/** Events about a cluster-scoped object lie in this namespace (core/v1 Event validation). */
const namespace = "default";
const eventsPath = resourcePath({ group: "", version: "v1", plural: "events" }, namespace);

/**
 * Reports a registration that claims to be a cluster from another address: as an Event in that cluster, at the namespace `kube-system`,
 * whose UID identifies the cluster. The name of the Event is derived from the claim, so all processes together create one.
 */
export class ContenderEvents {
  readonly #options: ContenderEventsOptions;
  readonly #told = new Set<string>();

  constructor(options: ContenderEventsOptions) {
    this.#options = options;
  }

  tell({ cluster, name, connection }: Engaged, contender: Registration, incumbent: Registration): void {
    const identity = JSON.stringify([cluster, contender.id]);
    if (this.#told.has(identity)) return;
    this.#told.add(identity);
    const { clock, log } = this.#options;
    const message = `registration ${contender.id} claims to be this cluster from another address; ${incumbent.id} keeps it, and the other is not served. Remove the wrong one`;
    const event = claimEvent({ identity, cluster, message, atMs: clock.now() });
    connection.call(jsonCall("POST", eventsPath, event), unlimited).catch((error: unknown) => {
      const { code } = asFault(error);
      if (code === "kube.exists") return;
      this.#told.delete(identity);
      log.debug({ cluster: name, reason: code }, "an Event about a claimed cluster was not created");
    });
  }
}

interface ReportedClaim {
  readonly identity: string;
  readonly cluster: ClusterId;
  readonly message: string;
  readonly atMs: number;
}

function claimEvent({ identity, cluster, message, atMs }: ReportedClaim) {
  const digest = createHash("sha256").update(identity).digest("hex").slice(0, 20);
  const time = eventTime(atMs);
  return {
    apiVersion: "v1",
    kind: "Event",
    type: "Warning",
    count: 1,
    reason: "ClusterClaimed" satisfies EventReason,
    metadata: { name: `kube-system.${digest}`, namespace },
    involvedObject: { apiVersion: "v1", kind: "Namespace", name: "kube-system", uid: cluster },
    message,
    source: { component: "fleet-reloader" },
    firstTimestamp: time,
    lastTimestamp: time,
  };
}
