import type { AuditBatch } from "@fleet-reloader/audit/gathered-batch";
import { readEventList } from "@fleet-reloader/audit/read-event-list";
import { readFirehose } from "@fleet-reloader/audit/read-firehose";
import { asFault } from "@fleet-reloader/domain/fault";
import type { HintedResource } from "@fleet-reloader/domain/hint/hint";
import { answerWithin } from "@fleet-reloader/engine/async/at-most";
import type { Clock } from "@fleet-reloader/engine/async/clock";
import { Pace } from "@fleet-reloader/engine/async/pace";
import { RecentMap } from "@fleet-reloader/engine/async/recent-map";
import type { AuditedWrites, HintStore } from "@fleet-reloader/engine/hints/hint-store";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter } from "@fleet-reloader/engine/ports/meter";
import type { Engaged } from "@fleet-reloader/kube/fleet/fleet";
import type { AuditDelivery } from "@fleet-reloader/runtime/audit/audit-delivery";
import type { ReceivedResult } from "@fleet-reloader/runtime/audit/audit-endpoint";
import type { EventSourceMode } from "@fleet-reloader/runtime/audit/hint-fields";
import { eventSourceOf } from "./event-source.ts";
import { UnknownNames } from "./unknown-names.ts";

export interface AuditReceiverOptions {
  /** The cluster with this displayed name, if it is engaged now and no other has the name. */
  readonly clusterNamed: (name: string) => Pick<Engaged, "cluster" | "labels"> | undefined;
  readonly isServed: (resource: HintedResource) => boolean;
  readonly eventSource: EventSourceMode;
  readonly hints: Pick<HintStore, "add">;
  readonly writes: Pick<AuditedWrites, "add">;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Pick<Meter, "auditEvents">;
}

/** An API server waits 30 s for an answer, and resends the batch after any answer but 200. */
const storeTimeoutMs = 20_000;
/** The author of a policy that sends objects has to learn of it, but not with every batch. */
const bodyWarningEveryMs = 3_600_000;
const warnedClustersMax = 10_000;

const bodyWarning =
  "audit events contain Secrets or ConfigMaps; nothing of them was kept. Set the level Metadata for both in the audit policy of the cluster";

/** Receives bodies of audit events: a hint is stored before it is acknowledged. */
export function createAuditReceiver(
  options: AuditReceiverOptions,
): (name: string, body: Buffer, delivery?: AuditDelivery) => Promise<ReceivedResult> {
  const warned = new RecentMap<string, number>(warnedClustersMax);
  const { clock, clusterNamed, eventSource, hints, isServed, log, meter, writes } = options;
  const names = new UnknownNames(clock, log);
  const storing = { clock, hints, log, writes };
  return async (name, body, delivery = "api-server") => {
    const engaged = clusterNamed(name);
    // Not engaged yet, or no longer, or one of several with its name. Another process may receive the next attempt.
    if (engaged === undefined) {
      names.unknown(name);
      return "unavailable";
    }
    names.known(name);
    const batch = await readPaced({ clock, isServed }, body, delivery);
    if (typeof batch === "string") return batch;
    countEvents(meter, name, batch);
    const now = clock.monotonic();
    if (batch.withBody > 0 && now - (warned.get(name) ?? Number.NEGATIVE_INFINITY) >= bodyWarningEveryMs) {
      warned.set(name, now);
      log.error({ cluster: name, reason: "AuditBody", count: batch.withBody }, bodyWarning);
    }
    return await store(storing, engaged, eventSourceOf(engaged.labels, eventSource), batch);
  };
}

async function readPaced(
  { clock, isServed }: Pick<AuditReceiverOptions, "clock" | "isServed">,
  body: Buffer,
  delivery: AuditDelivery,
): Promise<AuditBatch | "malformed" | "too-large"> {
  const pace = new Pace(clock);
  const reading = delivery === "firehose" ? readFirehose(body, isServed) : readEventList(body, isServed);
  for (;;) {
    const step = reading.next();
    if (step.done === true) {
      if (!("refused" in step.value)) return step.value;
      return step.value.refused === "too-large" ? "too-large" : "malformed";
    }
    if (pace.isOver) await pace.rest();
  }
}

function countEvents(meter: AuditReceiverOptions["meter"], name: string, batch: AuditBatch): void {
  let ignored = 0;
  for (const [reason, count] of batch.ignored) {
    ignored += count;
    meter.auditEvents(name, reason, count);
  }
  meter.auditEvents(name, "hint", batch.events - ignored);
  if (batch.withBody > 0) meter.auditEvents(name, "body", batch.withBody);
}

async function store(
  { clock, hints, log, writes }: Pick<AuditReceiverOptions, "clock" | "hints" | "log" | "writes">,
  { cluster }: Pick<Engaged, "cluster">,
  mode: EventSourceMode,
  batch: AuditBatch,
): Promise<"accepted" | "unavailable"> {
  if (mode === "watch") return "accepted";
  try {
    const stored = [
      writes.add(cluster, batch.writes),
      ...(mode === "audit" ? [hints.add(cluster, batch.hints)] : []),
    ];
    const late = `redis: no answer within ${storeTimeoutMs / 1000} s`;
    await answerWithin(storeTimeoutMs, clock, Promise.all(stored), late);
    return "accepted";
  } catch (error) {
    log.warn(
      { err: asFault(error).message },
      "audit events could not be stored; the API server sends them again",
    );
    return "unavailable";
  }
}
