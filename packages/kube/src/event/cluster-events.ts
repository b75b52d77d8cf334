import { asFault, type Fault } from "@fleet-reloader/domain/fault";
import { type WorkloadRef, workloadKey } from "@fleet-reloader/domain/workload/workload";
import type { WorkloadKind } from "@fleet-reloader/domain/workload/workload-kind";
import type { Clock, Random } from "@fleet-reloader/engine/async/clock";
import { Drain } from "@fleet-reloader/engine/async/drain";
import type { Log } from "@fleet-reloader/engine/ports/log";
import type { Meter, NotificationResult } from "@fleet-reloader/engine/ports/meter";
import { ApiResources } from "../discovery/api-resources.ts";
import { jsonCall, mergePatchCall, writePath } from "../http/call.ts";
import type { Connection } from "../http/connection.ts";
import { text as textAt } from "../json.ts";
import { accept, resourcePath } from "../resource.ts";
import { EventLimits, type Said } from "./event-limits.ts";
import { eventBody, eventName, eventTime } from "./event-object.ts";
import type { EventText } from "./event-text.ts";

/** Something to be said at a workload. */
export interface EventNote {
  readonly workload: WorkloadRef;
  readonly kind: WorkloadKind;
  /** Undefined: the reporter has not seen the workload, so the API server is asked. */
  readonly uid: string | undefined;
  readonly text: EventText;
  /** Names the Event, so that every process and every start of one means the same Event; undefined means a new one. */
  readonly suffix: string | undefined;
  readonly atMs: number;
}

export interface ClusterEventsOptions {
  readonly clusterName: string;
  readonly connection: Connection;
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly meter: Meter;
  readonly signal: AbortSignal;
}

/** More are not kept: an Event that waits longer is of no use to anybody. */
const queuedMax = 5000;
/** A wave of rolls is over when none was reported for this long, or has lasted long enough. */
const eventQuietMs = 250;
const wavePatienceMs = 5000;
const eventAttemptsMax = 3;
const eventPauseMs = 500;
/** People change rights by hand; asking again after this long costs one request. */
const deniedMs = 10 * 60_000;

const events = { group: "", version: "v1", plural: "events" } as const;

/**
 * Events of one cluster: a bounded queue, sent one after the other, so that a slow cluster delays nobody but itself; and after the
 * rolls of a wave, since each is a write that its API server would otherwise do instead of the next roll.
 */
export class ClusterEvents {
  readonly #options: ClusterEventsOptions;
  readonly #limits = new EventLimits();
  readonly #queue: EventNote[] = [];
  /** Namespace → until when no right to make Events is assumed. */
  readonly #denied = new Map<string, number>();
  #isDenialLogged = false;
  #isFailureLogged = false;
  #isFullLogged = false;
  #lastPutMs = 0;
  readonly #drain: Drain;
  readonly #resources: ApiResources;

  constructor(options: ClusterEventsOptions) {
    this.#options = options;
    this.#resources = new ApiResources(options.connection);
    this.#drain = new Drain({
      hasMore: () => this.#queue.length > 0,
      gather: (hurry) => this.#endOfWave(hurry),
      flush: () => this.#send(),
    });
  }

  put(note: EventNote): void {
    if (this.#queue.length >= queuedMax) return void this.#dropped();
    this.#queue.push(note);
    this.#lastPutMs = this.#options.clock.monotonic();
    this.#drain.begin();
  }

  /** Resolves when all that was put in has been sent or given up. */
  async drained(): Promise<void> {
    await this.#drain.finish();
  }

  /** Said when it begins, not each time. */
  #dropped(): void {
    const { clusterName: cluster, log } = this.#options;
    if (!this.#isFullLogged) log.warn({ cluster }, "Events are dropped: the cluster takes them too slowly");
    this.#isFullLogged = true;
    this.#count("dropped");
  }

  async #send(): Promise<void> {
    for (let note = this.#queue.shift(); note !== undefined; note = this.#queue.shift()) {
      this.#count(await this.#say(note));
    }
    this.#isFullLogged = false;
  }

  async #endOfWave(hurry: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const begunMs = clock.monotonic();
    for (;;) {
      const now = clock.monotonic();
      const leftMs = Math.min(this.#lastPutMs + eventQuietMs, begunMs + wavePatienceMs) - now;
      if (leftMs <= 0 || hurry.aborted) return;
      await clock.sleep(leftMs, hurry).catch(() => undefined);
    }
  }

  async #say(note: EventNote): Promise<NotificationResult> {
    const { clock, random, signal } = this.#options;
    // The same for all attempts: one whose answer was lost has made it.
    const newName = eventName(note.workload, note.suffix ?? this.#newSuffix());
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      try {
        return await this.#sayOnce(note, newName);
      } catch (error) {
        const fault = asFault(error);
        // The cluster is no longer engaged, so nothing in the queue will be sent.
        if (fault.code === "engine.aborted") return "skipped";
        if (fault.code === "kube.forbidden") return this.#refused(note, fault);
        if (attempt === eventAttemptsMax || fault.code === "kube.rejected") return this.#failed(note, fault);
        const wait = (fault.retryAfterMs ?? eventPauseMs * 2 ** (attempt - 1)) * (0.5 + random());
        await clock.sleep(wait, signal).catch(() => undefined);
      }
    }
    return "skipped";
  }

  async #sayOnce(note: EventNote, newName: string): Promise<NotificationResult> {
    const { workload, text } = note;
    const now = this.#options.clock.now();
    if ((this.#denied.get(workload.namespace) ?? 0) > now) return "dropped";
    const key = JSON.stringify([workloadKey(workload), note.uid, note.suffix, text]);
    const said = this.#limits.find(key, now);
    // An Event with a name of its own shows a state. A state that is found again is no news.
    if (said !== undefined && note.suffix !== undefined) return "repeated";
    if (said !== undefined && (await this.#countUp(note, said))) return "repeated";
    this.#limits.forget(key);
    const uid = note.uid ?? (await this.#uidOf(note));
    if (uid === undefined || !this.#limits.take(workloadKey(workload), now)) return "skipped";
    if (!(await this.#create(note, newName, uid))) return "skipped";
    this.#limits.remember(key, newName, now);
    this.#isDenialLogged = false;
    this.#isFailureLogged = false;
    return "sent";
  }

  /** False when the namespace is gone. An Event of this name counts as created: another process or an earlier attempt did it. */
  async #create(note: EventNote, name: string, uid: string): Promise<boolean> {
    const { connection, instance, signal } = this.#options;
    const path = writePath(resourcePath(events, note.workload.namespace));
    try {
      const body = eventBody({ ...note, uid, name, instance });
      return (await connection.call(jsonCall("POST", path, body), signal)).status !== 404;
    } catch (error) {
      if (asFault(error).code !== "kube.exists") throw error;
      return true;
    }
  }

  /** False when the Event no longer exists: API servers keep Events for an hour. */
  async #countUp(note: EventNote, said: Said): Promise<boolean> {
    const { connection, signal } = this.#options;
    const { name } = said;
    const count = said.count + 1;
    const path = writePath(resourcePath(events, note.workload.namespace, name));
    const patch = mergePatchCall(path, { count, lastTimestamp: eventTime(note.atMs) });
    const answer = await connection.call(patch, signal);
    if (answer.status === 404) return false;
    said.count = count;
    return true;
  }

  async #uidOf({ workload, kind }: EventNote): Promise<string | undefined> {
    const { connection, signal } = this.#options;
    const resource = await this.#resources.find(kind, signal);
    if (!("plural" in resource)) return undefined;
    const path = resourcePath(resource, workload.namespace, workload.name);
    const answer = await connection.call({ method: "GET", path, accept: accept.metadata }, signal);
    return textAt(answer.body, "metadata", "uid") || undefined;
  }

  #refused({ workload }: EventNote, fault: Fault): NotificationResult {
    const { clock, log } = this.#options;
    // Not a missing right: nothing may be made any more where everything is being removed.
    if (fault.message.includes("being terminated")) return "skipped";
    this.#denied.set(workload.namespace, clock.now() + deniedMs);
    if (!this.#isDenialLogged) {
      this.#isDenialLogged = true;
      log.warn(
        { cluster: this.#options.clusterName, reason: fault.code, err: fault.message },
        "Events cannot be created; workloads are rolled all the same, and we try again later",
      );
    }
    return "dropped";
  }

  #failed({ workload }: EventNote, fault: Fault): NotificationResult {
    this.#options.log[this.#isFailureLogged ? "debug" : "warn"](
      { cluster: this.#options.clusterName, workload, reason: fault.code, err: fault.message },
      "an Event could not be created",
    );
    this.#isFailureLogged = true;
    return "failed";
  }

  #newSuffix(): string {
    const { clock, random } = this.#options;
    return (
      clock.now().toString(16) +
      Math.floor(random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, "0")
    );
  }

  #count(result: NotificationResult): void {
    this.#options.meter.notified("event", result, 1);
  }
}
