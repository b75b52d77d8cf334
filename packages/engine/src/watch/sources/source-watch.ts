import { type SourceKind, type SourceRef, sourceKey } from "@fleet-reloader/domain/source/source";
import type { Clock } from "../../async/clock.ts";
import { windowOf } from "../../observe/interest.ts";
import type { Log } from "../../ports/log.ts";
import type { Meter, SourceSeen } from "../../ports/meter.ts";
import type { SourceVersion } from "../../ports/reference-index.ts";
import type { Settings } from "../../ports/settings.ts";
import type { StreamEvent, StreamHandler } from "../../ports/source-stream.ts";
import type { SourcePublisher } from "./source-publisher.ts";
import { SourceThrottle, type ThrottledSource } from "./source-throttle.ts";

export interface SourceWatchOptions {
  /** The name of the cluster in metrics. */
  readonly name: string;
  readonly kind: SourceKind;
  /** The namespace that is listed and watched; undefined means all. */
  readonly namespace: string | undefined;
  /** Whether the list would show this source if it existed. */
  readonly isListed: (source: SourceRef) => boolean;
  readonly publisher: SourcePublisher;
  readonly settings: Settings;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the throttle. Kept-back versions are then not published any more. */
  readonly signal: AbortSignal;
  readonly onListed: () => void;
}

/** The share of the dependents' quiet period for which a published source is throttled. After a storm their roll is late by at most this. */
const throttleShare = 0.25;
/** Even with a quiet period of a minute, a change is published within half a second. */
const throttleMaxMs = 500;

/**
 * Publishes the sources of one kind that a list or watch shows. Lists and events are treated alike: the publisher compares versions. A
 * source that the publisher remembers and that is missing from a complete list was deleted unseen. Only those sources, during a list, and
 * the throttled ones are in memory.
 */
export class SourceWatch implements StreamHandler<SourceVersion> {
  readonly #options: SourceWatchOptions;
  readonly #throttle: SourceThrottle;
  /** Remembered sources that the list has not shown yet; undefined until they are read. */
  #missing: Map<string, SourceRef> | undefined;

  constructor(options: SourceWatchOptions) {
    const { clock, log, signal } = options;
    this.#options = options;
    this.#throttle = new SourceThrottle({ clock, log, signal, publish: (due) => this.#publishDue(due) });
  }

  listBegins(): void {
    this.#missing = undefined;
  }

  async page(sources: readonly SourceVersion[]): Promise<void> {
    const missing = await this.#stillMissing();
    for (const { ref } of sources) missing.delete(sourceKey(ref));
    if (sources.length === 0) return;
    this.#seen(sources.length, "listed");
    const keptBack = this.#throttle.drop(sources.map(({ ref }) => ref));
    await this.#options.publisher.publish(sources, () => true);
    this.#compared(sources.length + keptBack);
  }

  async listed(): Promise<void> {
    const missing = await this.#stillMissing();
    if (missing.size > 0) await this.#options.publisher.publishDeleted([...missing.values()]);
    this.#missing = undefined;
    this.#options.onListed();
  }

  async events(events: readonly StreamEvent<SourceVersion>[]): Promise<void> {
    const latest = [...new Map(events.map((event) => [sourceKey(event.object.ref), event])).values()];
    await this.#deleted(latest.flatMap(({ type, object }) => (type === "delete" ? [object.ref] : [])));
    const created = new Set(events.flatMap(({ isNew, object }) => (isNew ? [sourceKey(object.ref)] : [])));
    const changed = latest.flatMap(({ type, object }) => (type === "upsert" ? [object] : []));
    await this.#changed(changed, (ref) => created.has(sourceKey(ref)));
  }

  /** Resolves when the throttle has stopped publishing; the signal has to be aborted for that. */
  ended(): Promise<void> {
    return this.#throttle.ended();
  }

  async #deleted(sources: readonly SourceRef[]): Promise<void> {
    if (sources.length === 0) return;
    this.#seen(sources.length, "deleted");
    const keptBack = this.#throttle.drop(sources);
    await this.#options.publisher.publishDeleted(sources);
    this.#compared(sources.length + keptBack);
  }

  async #changed(
    sources: readonly SourceVersion[],
    mayAppear: (source: SourceRef) => boolean,
  ): Promise<void> {
    if (sources.length === 0) return;
    const created = sources.filter(({ ref }) => mayAppear(ref)).length;
    this.#seen(created, "created");
    this.#seen(sources.length - created, "changed");
    const admitted = this.#throttle.admitted(sources);
    if (admitted.length === 0) return;
    await this.#publishAndThrottle(admitted, mayAppear);
    this.#compared(admitted.length);
  }

  async #publishDue(due: readonly ThrottledSource[]): Promise<void> {
    const sources = due.map(({ source }) => source);
    await this.#publishAndThrottle(sources, () => false);
    this.#compared(due.reduce((sum, { count }) => sum + count, 0));
  }

  /** A later version has to reach the dependents long before their quiet period ends. */
  async #publishAndThrottle(
    sources: readonly SourceVersion[],
    mayAppear: (source: SourceRef) => boolean,
  ): Promise<void> {
    const { publisher, settings } = this.#options;
    const changed = await publisher.publish(sources, mayAppear);
    const uses = new Map(changed.map(({ source, dependents }) => [sourceKey(source.ref), dependents]));
    for (const { ref } of sources) {
      let { quietPeriodMs } = settings.debounce;
      for (const { window } of uses.get(sourceKey(ref)) ?? [])
        quietPeriodMs = Math.min(quietPeriodMs, windowOf(window, settings).quietPeriodMs);
      this.#throttle.throttle(ref, Math.min(throttleMaxMs, quietPeriodMs * throttleShare));
    }
  }

  async #stillMissing(): Promise<Map<string, SourceRef>> {
    const { publisher, kind, namespace, isListed } = this.#options;
    if (this.#missing !== undefined) return this.#missing;
    const remembered = await publisher.remembered(kind, namespace);
    this.#missing = new Map(remembered.filter(isListed).map((ref) => [sourceKey(ref), ref]));
    return this.#missing;
  }

  #seen(count: number, how: SourceSeen): void {
    const { meter, name, kind } = this.#options;
    if (count > 0) meter.sourcesSeen(name, kind, count, how);
  }

  #compared(count: number): void {
    const { meter, name, kind } = this.#options;
    meter.sourcesCompared(name, kind, count);
  }
}
