import { type AuditedWrite, requestMaxSeconds } from "@fleet-reloader/domain/hint/audited-write";
import { anythingKey, type HintedResource, hintKey } from "@fleet-reloader/domain/hint/hint";
import type { SourceRef } from "@fleet-reloader/domain/source/source";
import { auditedKind, type EventReading, type IgnoredReason } from "./audit-event.ts";

/** The hints in a body of events. */
export interface AuditBatch {
  /** Keys of hints, each once (`hintKey`); only `anythingKey` if there were too many. */
  readonly hints: ReadonlySet<string>;
  /** Writes of ConfigMaps and Secrets that were not refused, up to a limit. */
  readonly writes: readonly AuditedWrite[];
  readonly events: number;
  readonly ignored: ReadonlyMap<IgnoredReason | "resource", number>;
  /** Events that contained Secrets or ConfigMaps: for these the audit policy is above the level Metadata. */
  readonly withBody: number;
}

/** From this many objects, one list is faster than the reads. */
const hintsMax = 20_000;
/** A batch has 400 events by default. */
const writesMax = 5000;

/** Gathers the hints and writes of single events. */
export class GatheredBatch implements AuditBatch {
  readonly hints = new Set<string>();
  readonly writes: AuditedWrite[] = [];
  readonly ignored = new Map<IgnoredReason | "resource", number>();
  events = 0;
  withBody = 0;
  readonly #isServed: (resource: HintedResource) => boolean;

  constructor(isServed: (resource: HintedResource) => boolean) {
    this.#isServed = isServed;
  }

  take(reading: EventReading): void {
    this.events += 1;
    if (reading.hasBody) this.withBody += 1;
    if (reading.type === "ignored") this.#ignore(reading.reason);
    else if (this.#isServed(reading.hint)) this.#keep(reading);
    else this.#ignore("resource");
  }

  #ignore(reason: IgnoredReason | "resource"): void {
    this.ignored.set(reason, (this.ignored.get(reason) ?? 0) + 1);
  }

  #keep(reading: Extract<EventReading, { readonly type: "hint" }>): void {
    if (!this.hints.has(anythingKey)) this.hints.add(hintKey(reading.hint));
    if (this.hints.size > hintsMax) {
      this.hints.clear();
      this.hints.add(anythingKey);
    }
    const source = hintedSource(reading.hint);
    const { by, manager, fromSeconds, toSeconds } = reading;
    const isPossible = fromSeconds <= toSeconds && toSeconds - fromSeconds <= requestMaxSeconds;
    if (source === undefined || !isPossible || this.writes.length === writesMax) return;
    this.writes.push({ source, by, manager, fromSeconds, toSeconds });
  }
}

/** Undefined: the object is no ConfigMap or Secret, or its name is missing. */
function hintedSource({
  group,
  resource,
  namespace,
  name,
}: HintedResource & SourceName): SourceRef | undefined {
  const kind = auditedKind({ group, resource });
  return kind === undefined || name === "" ? undefined : { kind, namespace, name };
}

type SourceName = Pick<SourceRef, "namespace" | "name">;
