import { createHash } from "node:crypto";
import type { EventReason } from "@fleet-reloader/domain/event-reasons";
import { asFault } from "@fleet-reloader/domain/fault";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import type { Log } from "@fleet-reloader/engine/ports/log";
import { eventTime } from "../event/event-object.ts";
import type { Registration } from "../registration/registration.ts";
import { resourcePath } from "../resource.ts";
import type { Engaged } from "./engagement.ts";

export interface ContenderEventsOptions {
  readonly clock: Clock;
  readonly log: Log;
}

/** Waits for nothing: a call ends by itself. */
const unlimited = new AbortController().signal;

/** Events about an object without a namespace lie in this one (core/v1 Event validation). */
const namespace = "default";

/**
 * Tells in a cluster, at its `kube-system` namespace, whose UID it is known by, that another registration claims to be it from another address. One
 * Event for each, whichever process finds it: a repeat under its name is refused, and that is success.
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
    const time = eventTime(clock.now());
    const body = {
      apiVersion: "v1",
      kind: "Event",
      type: "Warning",
      count: 1,
      reason: "ClusterClaimed" satisfies EventReason,
      metadata: {
        name: `kube-system.${createHash("sha256").update(identity).digest("hex").slice(0, 20)}`,
        namespace,
      },
      involvedObject: { apiVersion: "v1", kind: "Namespace", name: "kube-system", uid: cluster },
      message: `registration ${contender.id} claims to be this cluster from another address; ${incumbent.id} keeps it, and the other is not served. Remove the wrong one`,
      source: { component: "fleet-reloader" },
      firstTimestamp: time,
      lastTimestamp: time,
    };
    const path = resourcePath({ group: "", version: "v1", plural: "events" }, namespace);
    const call = {
      method: "POST",
      path,
      contentType: "application/json",
      body: JSON.stringify(body),
    } as const;
    connection.call(call, unlimited).catch((error: unknown) => {
      const { code } = asFault(error);
      if (code === "kube.exists") return;
      this.#told.delete(identity);
      log.debug({ cluster: name, reason: code }, "an Event about a claimed cluster was not created");
    });
  }
}
